import { and, eq, gt, isNotNull, ne, sql } from "drizzle-orm";
import { type Db, type RowOf, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { TaskId } from "@/server/domain/ids";
import type { VideoSpec } from "@/server/upstream";

const { videoTasks } = tables;

/** The columns that owners and operators may see. */
const shown = {
  id: videoTasks.id,
  accountId: videoTasks.accountId,
  keyId: videoTasks.keyId,
  modelId: videoTasks.modelId,
  prompt: videoTasks.prompt,
  durationSeconds: videoTasks.durationSeconds,
  resolution: videoTasks.resolution,
  aspectRatio: videoTasks.aspectRatio,
  state: videoTasks.state,
  progress: videoTasks.progress,
  /** null while not completed, and for files that `content` serves. */
  videoUrl: videoTasks.videoUrl,
  price: videoTasks.price,
  channelId: videoTasks.channelId,
  createdAt: videoTasks.createdAt,
  deadlineAt: videoTasks.deadlineAt,
  completedAt: videoTasks.completedAt,
  endedAt: videoTasks.endedAt,
  lateResult: videoTasks.lateResult,
};

/** The columns of a task, for `select` and `returning`: all but those of the queue. */
export const columns = {
  ...shown,
  errorCode: videoTasks.errorCode,
  errorMessage: videoTasks.errorMessage,
  period: videoTasks.period,
  upstream: videoTasks.upstream,
  credential: videoTasks.credential,
  upstreamRef: videoTasks.upstreamRef,
  submitStartedAt: videoTasks.submitStartedAt,
  lastPollAt: videoTasks.lastPollAt,
  pollErrors: videoTasks.pollErrors,
  timesLost: videoTasks.timesLost,
  timesEmpty: videoTasks.timesEmpty,
};

/** A task's row. Money in nano-units. */
export type TaskRow = RowOf<typeof columns>;

/** A task as its owner and operators may see it. Money in nano-units. */
export type TaskView = RowOf<typeof shown> & { error: { code: string; message: string } | null };

const isShown = (name: string) => Object.hasOwn(shown, name);

/** Leaves out columns that are not shown, such as the credential. */
export const toView = (task: TaskRow): TaskView => ({
  ...(Object.fromEntries(Object.entries(task).filter(([name]) => isShown(name))) as RowOf<typeof shown>),
  error: task.errorCode === null ? null : { code: task.errorCode, message: task.errorMessage ?? "" },
});

/** Open tasks, with the condition of their partial indexes. */
export const isOpenRow = sql`${videoTasks.state} in ('submitting', 'processing')`;

export async function findTask(db: Db, taskId: TaskId): Promise<TaskRow | null> {
  const [task] = await ormOf(db).select(columns).from(videoTasks).where(eq(videoTasks.id, taskId));
  return task ?? null;
}

/** The order, with this upstream's name for the model. */
export const specOf = (task: TaskRow, model: string): VideoSpec => ({
  model,
  prompt: task.prompt,
  durationSeconds: task.durationSeconds,
  resolution: task.resolution,
  aspectRatio: task.aspectRatio,
});

const DAY_MS = 86_400_000;

/** The references of other tasks at this task's vendor, over any channel, as far back as vendors keep them. */
export async function findTakenRefs(db: Db, task: TaskRow): Promise<Set<string>> {
  const rows = await ormOf(db)
    .select({ ref: videoTasks.upstreamRef })
    .from(videoTasks)
    .where(
      and(
        sql`${videoTasks.upstream}->>'dialect' = ${task.upstream?.dialect ?? ""}`,
        sql`${videoTasks.upstream}->>'baseUrl' = ${task.upstream?.baseUrl ?? ""}`,
        isNotNull(videoTasks.upstreamRef),
        ne(videoTasks.id, task.id),
        gt(videoTasks.createdAt, new Date(task.createdAt.getTime() - DAY_MS)),
      ),
    );
  return new Set(rows.flatMap(({ ref }) => ref ?? []));
}
