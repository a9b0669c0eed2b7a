import type { ISql } from "postgres";
import type { PinnedUpstream } from "@/server/db";
import type { VideoSpec } from "@/server/upstream";
import type { VideoOrder } from "./order";
import type { State } from "./task";

/** The pool, or a transaction. */
export type Sql = ISql;

/** A task's row. Money in nano-units. */
export type TaskRow = Omit<VideoOrder, "idempotency" | "keyCap"> & {
  id: string;
  state: State;
  progress: number;
  errorCode: string | null;
  errorMessage: string | null;
  videoUrl: string | null;
  price: bigint;
  period: string;
  channelId: string | null;
  upstream: PinnedUpstream | null;
  credential: string | null;
  upstreamRef: string | null;
  createdAt: Date;
  deadlineAt: Date;
  submitStartedAt: Date | null;
  lastPollAt: Date | null;
  pollErrors: number;
  timesLost: number;
  timesEmpty: number;
  completedAt: Date | null;
  endedAt: Date | null;
  lateResult: string | null;
};

/** As the driver gives it: money is text. */
export type RawTask = Omit<TaskRow, "price"> & { price: string };

export const toRow = (raw: RawTask): TaskRow => ({ ...raw, price: BigInt(raw.price) });

/** The columns of a task, for `select` and `returning`. */
export const columns = (sql: Sql) => sql`
  id, account_id as "accountId", key_id as "keyId", model_id as "modelId", prompt,
  duration_seconds as "durationSeconds", resolution, aspect_ratio as "aspectRatio", state, progress,
  error_code as "errorCode", error_message as "errorMessage", video_url as "videoUrl", price::text, period,
  channel_id as "channelId", upstream, credential, upstream_ref as "upstreamRef", created_at as "createdAt",
  deadline_at as "deadlineAt", submit_started_at as "submitStartedAt", last_poll_at as "lastPollAt",
  poll_errors as "pollErrors", times_lost as "timesLost", times_empty as "timesEmpty",
  completed_at as "completedAt", ended_at as "endedAt", late_result as "lateResult"`;

export async function findTask(sql: Sql, taskId: string): Promise<TaskRow | null> {
  const [raw] = await sql<RawTask[]>`select ${columns(sql)} from video_tasks where id = ${taskId}`;
  return raw ? toRow(raw) : null;
}

/** What was ordered, under the name that this upstream has for the model. */
export const specOf = (task: TaskRow, model: string): VideoSpec => ({
  model,
  prompt: task.prompt,
  durationSeconds: task.durationSeconds,
  resolution: task.resolution,
  aspectRatio: task.aspectRatio,
});

/** What other tasks have become at this task's vendor, by whatever channel, as far back as vendors keep them. */
export async function findTakenRefs(sql: Sql, task: TaskRow): Promise<Set<string>> {
  const rows = await sql<{ ref: string }[]>`
    select upstream_ref as ref from video_tasks
    where upstream->>'dialect' = ${task.upstream?.dialect ?? ""} and upstream->>'baseUrl' = ${task.upstream?.baseUrl ?? ""}
      and upstream_ref is not null and id <> ${task.id}
      and created_at > ${task.createdAt}::timestamptz - interval '1 day'`;
  return new Set(rows.map(({ ref }) => ref));
}
