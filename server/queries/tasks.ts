import { z } from "zod";
import { findKeyNames } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { shownTaskStates, taskSorts } from "@/server/domain/enums";
import { Refusal } from "@/server/domain/refusal";
import type { Side } from "@/server/domain/roles";
import { signContentPath } from "@/server/domain/video-links";
import { AccountId, ChannelId, KeyId, PAGE_ROWS, Page, TaskId } from "@/server/operations/schema";
import { isErased, type TaskView } from "@/server/videos";
import { distinct, findBehind } from "./behind";
import { type QueryContext, query } from "./query";

const moneyStates = {
  submitting: "frozen",
  processing: "frozen",
  completed: "charged",
  failed: "returned",
  cancelled: "returned",
} as const;

/** `accountId`: the only account whose tasks may be shown. */
type Asker = { accountId?: AccountId | undefined; side: Side };

/** Tasks as the asker may see them. `price`: a decimal string, frozen, charged or returned according to `money`. */
async function toViews(reading: QueryContext, tasks: TaskView[], { accountId, side }: Asker) {
  const { db, secrets } = reading;
  const behind = await findBehind(reading, tasks, side);
  const keys = await findKeyNames(db, distinct(tasks.map((task) => task.keyId)), accountId);
  const signing = { keyPepper: secrets.keyPepper, clock: () => new Date() };
  return tasks.map((task) => ({
    id: task.id,
    modelId: task.modelId,
    /** "": erased, as its owner asked. */
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
    /** The address from which a browser plays the video: at its vendor, which deletes it some day, or here. */
    videoUrl:
      task.state === "completed" && !isErased(task)
        ? (task.videoUrl ?? signContentPath(signing, task.id))
        : null,
    ...behind(task),
    ...(side === "operator" && { lateResult: task.lateResult }),
  }));
}

const Text = z.string().min(1).max(200);

const OwnTasks = Page.extend({
  accountId: AccountId.optional(),
  state: z.enum(shownTaskStates).optional(),
  modelId: Text.optional(),
  keyId: KeyId.optional(),
  sort: z.enum(taskSorts).default("-created"),
});

/** Only operators may filter by channel. */
const AllTasks = OwnTasks.extend({ channelId: ChannelId.optional() });

async function listTasks(
  reading: QueryContext,
  { cursor, sort, ...filter }: z.output<typeof AllTasks>,
  side: Side,
) {
  const page = await reading.videos.list(filter, {
    cursor,
    limit: PAGE_ROWS,
    isOldestFirst: sort === "created",
  });
  const rows = await toViews(reading, page.rows, { accountId: filter.accountId, side });
  return { rows, nextCursor: page.nextCursor };
}

/** Reads rows only: a list does not make us ask an upstream about its tasks. */
export const list = query({ needs: "account.read", input: OwnTasks, read: listTasks });

/** Tasks of all accounts. */
export const listAll = query({ needs: "staff.read", input: AllTasks, read: listTasks });

export const get = query({
  needs: "read",
  input: z.strictObject({ taskId: TaskId, accountId: AccountId.optional() }),
  read: async (reading, { taskId, accountId }, side) => {
    const task = await reading.videos.find(taskId);
    if (!task || (accountId !== undefined && task.accountId !== accountId)) {
      throw new Refusal(`video task "${taskId}" does not exist`, "taskUnknown");
    }
    const [view] = await toViews(reading, [task], { accountId, side });
    return view;
  },
});
