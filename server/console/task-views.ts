import { findAccountNames, findKeyNames } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { Refusal } from "@/server/base/refusal";
import { signContentPath } from "@/server/base/video-links";
import { listChannels } from "@/server/channels";
import { PAGE_ROWS } from "@/server/operations/schema";
import type { Runtime } from "@/server/process/runtime";
import type { TaskFilter, TaskView } from "@/server/videos";

const moneyStates = {
  submitting: "frozen",
  processing: "frozen",
  completed: "charged",
  failed: "returned",
  cancelled: "returned",
} as const;

const distinct = (ids: string[]) => [...new Set(ids)];

/**
 * Tasks as their owner sees them on screen. `price`: a decimal string, frozen, charged or returned as `money` says.
 */
async function toViews({ db, secrets }: Runtime, tasks: TaskView[], accountId: string | undefined) {
  const keys = await findKeyNames(db.orm, distinct(tasks.map((task) => task.keyId)), accountId);
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

async function behindThem({ db }: Runtime, tasks: TaskView[]): Promise<Map<string, Behind>> {
  const accounts = await findAccountNames(db.orm, distinct(tasks.map((task) => task.accountId)));
  const channels = new Map((await listChannels(db.orm)).map(({ id, name }) => [id, name]));
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

type Listing = TaskFilter & { cursor?: string | undefined };

/** A page of an account's tasks. Rows only: nobody is asked about a task because somebody looks at a list. */
export async function showTaskPage(runtime: Runtime, { cursor, ...filter }: Listing & { accountId: string }) {
  const page = await runtime.videos.list(filter, { cursor, limit: PAGE_ROWS });
  return {
    rows: await toViews(runtime, page.rows, filter.accountId),
    nextCursor: page.nextCursor,
  };
}

/** A page of everybody's tasks. */
export async function showAllTasks(runtime: Runtime, { cursor, ...filter }: Listing) {
  const page = await runtime.videos.list(filter, { cursor, limit: PAGE_ROWS });
  const views = await toViews(runtime, page.rows, undefined);
  const behind = await behindThem(runtime, page.rows);
  return { rows: views.map((view) => withBehind(view, behind)), nextCursor: page.nextCursor };
}

const withBehind = (view: ShownTask, behind: Map<string, Behind>) => ({
  ...view,
  behind: behind.get(view.id) ?? null,
});

async function getTask({ videos }: Runtime, { taskId, accountId }: { taskId: string; accountId?: string }) {
  const task = await videos.find(taskId);
  if (!task || (accountId !== undefined && task.accountId !== accountId)) {
    throw new Refusal(`there is no task "${taskId}"`, "taskUnknown");
  }
  return task;
}

/** One task of an account. Throws Refusal. */
export async function showTask(runtime: Runtime, target: { taskId: string; accountId: string }) {
  const [view] = await toViews(runtime, [await getTask(runtime, target)], target.accountId);
  return view;
}

/** One task of anybody. Throws Refusal. */
export async function showAnyTask(runtime: Runtime, taskId: string) {
  const task = await getTask(runtime, { taskId });
  const [view] = await toViews(runtime, [task], undefined);
  return view && withBehind(view, await behindThem(runtime, [task]));
}
