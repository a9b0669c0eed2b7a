import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

/** One call of a known key, however it ended. */
export type CallRecord = {
  requestId: string;
  accountId: string;
  keyId: string;
  /** As in the log and the metrics: `chat.completions`. */
  endpoint: string;
  /** As the client wrote it; null when it named none. */
  modelId: string | null;
  /** The channel that answered. */
  channelId: string | null;
  /** The task that the call submitted: the request id of its charge. */
  taskId: string | null;
  status: number;
  /** The slug of `x-error-code`, or of what a stream broke off with. null: nothing went wrong. */
  error: string | null;
  isStream: boolean;
  firstTokenMs: number | null;
  /** Until the last byte was ready. */
  elapsedMs: number;
  address: string | null;
  startedAt: Date;
};

/** What is selected of a row to have a `CallRecord`. */
export const COLUMNS = `
  request_id as "requestId", account_id as "accountId", key_id as "keyId", endpoint, model_id as "modelId",
  channel_id as "channelId", task_id as "taskId", status, error, is_stream as "isStream",
  first_token_ms as "firstTokenMs", elapsed_ms as "elapsedMs", address, started_at as "startedAt"`;

/** Longer than any model's name. */
const MAX_MODEL_CHARACTERS = 200;

/** Text of a client's as PostgreSQL takes it, which refuses NUL and half a surrogate pair. */
const plain = (text: string) => text.slice(0, MAX_MODEL_CHARACTERS).replace(/[\p{Cc}\p{Cs}]/gu, "");

const toRow = (call: CallRecord) => ({
  request_id: call.requestId,
  account_id: call.accountId,
  key_id: call.keyId,
  endpoint: call.endpoint,
  model_id: call.modelId === null ? null : plain(call.modelId),
  channel_id: call.channelId,
  task_id: call.taskId,
  status: call.status,
  error: call.error,
  is_stream: call.isStream,
  first_token_ms: call.firstTokenMs,
  elapsed_ms: call.elapsedMs,
  address: call.address,
  started_at: call.startedAt,
});

/**
 * Stores calls in one statement. One that is there already stays as it is: an answer may be lost, and the batch be
 * tried again.
 */
export async function insertCalls(db: Db, calls: CallRecord[]): Promise<void> {
  const sql = sqlOf(db);
  await sql`
    insert into calls (
      request_id, account_id, key_id, endpoint, model_id, channel_id, task_id, status, error, is_stream,
      first_token_ms, elapsed_ms, address, started_at
    )
    select * from json_to_recordset(${JSON.stringify(calls.map(toRow))}::text::json) as (
      request_id text, account_id text, key_id text, endpoint text, model_id text, channel_id text, task_id text,
      status integer, error text, is_stream boolean, first_token_ms integer, elapsed_ms integer, address text,
      started_at timestamptz
    )
    on conflict do nothing`;
}

/**
 * Deletes at most `limit` calls whose identifier is lower than `before`; how many. Replicas at it together share the
 * work.
 */
export async function deleteCallsBefore(db: Db, before: string, limit: number): Promise<number> {
  const sql = sqlOf(db);
  const deleted = await sql`
    delete from calls where request_id in (
      select request_id from calls where request_id < ${before} order by request_id limit ${limit} for update skip locked
    )`;
  return deleted.count;
}
