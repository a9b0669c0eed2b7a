import { z } from "zod";
import { findAccountNames, findKeyNames } from "@/server/access";
import { shownTaskStates } from "@/server/base/facts";
import { formatMoney } from "@/server/base/money";
import { Refusal } from "@/server/base/refusal";
import { signContentPath } from "@/server/base/video-links";
import { listChannels } from "@/server/channels";
import { AccountId, ChannelId, KeyId, PAGE_ROWS, Page, TaskId } from "@/server/operations/schema";
import type { TaskView } from "@/server/videos";
import { query, type Reading } from "./query";

const moneyStates = {
  submitting: "frozen",
  processing: "frozen",
  completed: "charged",
  failed: "returned",
  cancelled: "returned",
} as const;

const distinct = <Id extends string>(ids: Id[]) => [...new Set(ids)];

/**
 * Tasks as their owner sees them on screen. `price`: a decimal string, frozen, charged or returned as `money` says.
 */
async function toViews({ db, secrets }: Reading, tasks: TaskView[], accountId: AccountId | undefined) {
  const keys = await findKeyNames(db, distinct(tasks.map((task) => task.keyId)), accountId);
  const signing = { keyPepper: secrets.keyPepper, clock: () => new Date() };
  return tasks.map((task) => ({
    id: task.id,
    modelId: task.modelId,
    prompt: task.prompt,
    durationSeconds: task.durationSeconds,
    resolution: task.resolution,
    aspectRatio: task.aspectRatio,
    state: task.state === "submitting" ? ("processing" as const) : task.state,
    progress: task.state === "completed" ? 100 : task.progress,
    error: task.error,
    price: formatMoney(task.price),
    money: moneyStates[task.state],
    key: { id: task.keyId, ...(keys.get(task.keyId) ?? { name: "", lastFour: "", isDeleted: true }) },
    createdAt: task.createdAt,
    deadlineAt: task.deadlineAt,
    endedAt: task.endedAt,
    /** Where a browser plays it: with its vendor, who deletes it some day, or here. */
    videoUrl: task.state === "completed" ? (task.videoUrl ?? signContentPath(signing, task.id)) : null,
  }));
}

type ShownTask = Awaited<ReturnType<typeof toViews>>[number];

/** What operators see beside it. */
type Behind = {
  account: { id: string; name: string };
  channel: { id: string; name: string } | null;
  lateResult: string | null;
};

async function behindThem({ db }: Reading, tasks: TaskView[]): Promise<Map<string, Behind>> {
  const accounts = await findAccountNames(db, distinct(tasks.map((task) => task.accountId)));
  const channels = new Map((await listChannels(db)).map(({ id, name }) => [id, name]));
  return new Map(
    tasks.map(({ id, accountId, channelId, lateResult }) => [
      id,
      {
        account: { id: accountId, name: accounts.get(accountId) ?? "" },
        channel: channelId === null ? null : { id: channelId, name: channels.get(channelId) ?? "" },
        lateResult,
      },
    ]),
  );
}

const withBehind = (view: ShownTask, behind: Map<string, Behind>) => ({
  ...view,
  behind: behind.get(view.id) ?? null,
});

async function getTask(
  { videos }: Reading,
  { taskId, accountId }: { taskId: TaskId; accountId?: AccountId },
) {
  const task = await videos.find(taskId);
  if (!task || (accountId !== undefined && task.accountId !== accountId)) {
    throw new Refusal(`there is no task "${taskId}"`, "taskUnknown");
  }
  return task;
}

const Text = z.string().min(1).max(200);

const Listing = Page.extend({
  accountId: AccountId,
  state: z.enum(shownTaskStates).optional(),
  modelId: Text.optional(),
  keyId: KeyId.optional(),
});

/** An account's tasks, newest first. Rows only: nobody is asked about a task because somebody looks at a list. */
export const list = query({
  by: ["owner"],
  input: Listing,
  read: async (reading, { cursor, ...filter }) => {
    const page = await reading.videos.list(filter, { cursor, limit: PAGE_ROWS });
    return { rows: await toViews(reading, page.rows, filter.accountId), nextCursor: page.nextCursor };
  },
});

/** Everybody's tasks. */
export const listAll = query({
  by: ["operator"],
  input: Listing.extend({ accountId: AccountId.optional(), channelId: ChannelId.optional() }),
  read: async (reading, { cursor, ...filter }) => {
    const page = await reading.videos.list(filter, { cursor, limit: PAGE_ROWS });
    const views = await toViews(reading, page.rows, undefined);
    const behind = await behindThem(reading, page.rows);
    return { rows: views.map((view) => withBehind(view, behind)), nextCursor: page.nextCursor };
  },
});

const Target = z.strictObject({ taskId: TaskId });

/** One task of an account. */
export const get = query({
  by: ["owner"],
  input: Target.extend({ accountId: AccountId }),
  read: async (reading, target) => {
    const [view] = await toViews(reading, [await getTask(reading, target)], target.accountId);
    return view;
  },
});

/** One task of anybody's. */
export const getAny = query({
  by: ["operator"],
  input: Target,
  read: async (reading, target) => {
    const task = await getTask(reading, target);
    const [view] = await toViews(reading, [task], undefined);
    return view && withBehind(view, await behindThem(reading, [task]));
  },
});
