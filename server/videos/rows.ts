import { and, eq, gt, isNotNull, ne, sql } from "drizzle-orm";
import type { TaskId } from "@/server/base/ids";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { VideoSpec } from "@/server/upstream";

const { videoTasks } = tables;

/** The columns of a task, for `select` and `returning`: all but those of the queue. */
export const columns = {
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
  errorCode: videoTasks.errorCode,
  errorMessage: videoTasks.errorMessage,
  videoUrl: videoTasks.videoUrl,
  price: videoTasks.price,
  period: videoTasks.period,
  channelId: videoTasks.channelId,
  upstream: videoTasks.upstream,
  credential: videoTasks.credential,
  upstreamRef: videoTasks.upstreamRef,
  createdAt: videoTasks.createdAt,
  deadlineAt: videoTasks.deadlineAt,
  submitStartedAt: videoTasks.submitStartedAt,
  lastPollAt: videoTasks.lastPollAt,
  pollErrors: videoTasks.pollErrors,
  timesLost: videoTasks.timesLost,
  timesEmpty: videoTasks.timesEmpty,
  completedAt: videoTasks.completedAt,
  endedAt: videoTasks.endedAt,
  lateResult: videoTasks.lateResult,
};

/** A task's row. Money in nano-units. */
export type TaskRow = Pick<typeof videoTasks.$inferSelect, keyof typeof columns>;

/** Tasks that have not ended, as their partial indexes have it. */
export const isOpenRow = sql`${videoTasks.state} in ('submitting', 'processing')`;

export async function findTask(db: Db, taskId: TaskId): Promise<TaskRow | null> {
  const [task] = await ormOf(db).select(columns).from(videoTasks).where(eq(videoTasks.id, taskId));
  return task ?? null;
}

/** What was ordered, under the name that this upstream has for the model. */
export const specOf = (task: TaskRow, model: string): VideoSpec => ({
  model,
  prompt: task.prompt,
  durationSeconds: task.durationSeconds,
  resolution: task.resolution,
  aspectRatio: task.aspectRatio,
});

const DAY_MS = 86_400_000;

/** What other tasks have become at this task's vendor, by whatever channel, as far back as vendors keep them. */
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
