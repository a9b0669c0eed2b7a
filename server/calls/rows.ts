import { toSnakeCase } from "drizzle-orm/casing";
import type { ISql } from "postgres";
import { type Db, isDuplicate, type tables, transaction } from "@/server/db";
import { type BatchRow, batchRows } from "@/server/db/batch-rows";
import { isDistributed, sqlOf } from "@/server/db/handles";

/** One request to an upstream. Times in milliseconds. */
export type AttemptRecord = Omit<
  typeof tables.callAttempts.$inferSelect,
  "requestId" | "accountId" | "position"
>;

/** One call of a known key, however it ended. */
export type CallRecord = typeof tables.calls.$inferSelect;

/** The identifier of a call's charge. A repeated submission has the task of the first one, and so its one charge. */
export const chargeIdOf = (call: CallRecord): string => call.taskId ?? call.requestId;

/** A call with its attempts, in order. */
export type RecordedCall = { call: CallRecord; attempts: AttemptRecord[] };

/** Longer than any model's name. */
const MAX_MODEL_CHARACTERS = 200;

/** A client's text as PostgreSQL takes it, which refuses NUL and half a surrogate pair. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cs}]/gu, "");

/** The columns of a call and of an attempt, in the order of their statement. */
const CALL = {
  requestId: "text",
  accountId: "text",
  keyId: "text",
  endpoint: "text",
  modelId: "text",
  channelId: "text",
  taskId: "text",
  status: "integer",
  error: "text",
  errorMessage: "text",
  ignored: "jsonb",
  isStream: "boolean",
  firstTokenMs: "integer",
  elapsedMs: "integer",
  address: "text",
  startedAt: "timestamptz",
} as const satisfies Record<keyof CallRecord, string>;
const ATTEMPT = {
  requestId: "text",
  accountId: "text",
  position: "integer",
  channelId: "text",
  channelVersion: "text",
  operation: "text",
  credential: "text",
  modelId: "text",
  beganAt: "timestamptz",
  status: "integer",
  outcome: "text",
  headMs: "integer",
  firstMs: "integer",
  elapsedMs: "integer",
  words: "text",
  vendorError: "jsonb",
} as const satisfies Record<keyof typeof tables.callAttempts.$inferSelect, string>;

const callRows = batchRows("call", CALL);
const attemptRows = batchRows("attempt", ATTEMPT);
const callColumns = Object.keys(CALL).map(toSnakeCase);
const attemptColumns = Object.keys(ATTEMPT).map(toSnakeCase);

const rowOf = (call: CallRecord): BatchRow<typeof CALL> => ({
  ...call,
  modelId: call.modelId === null ? null : plain(call.modelId.slice(0, MAX_MODEL_CHARACTERS)),
  errorMessage: call.errorMessage && plain(call.errorMessage),
  ignored:
    call.ignored &&
    JSON.stringify(call.ignored.map(({ member, reason }) => ({ member: plain(member), reason }))),
  startedAt: call.startedAt.toISOString(),
});

const attemptRowsOf = ({ call, attempts }: RecordedCall): BatchRow<typeof ATTEMPT>[] =>
  attempts.map((attempt, position) => ({
    ...attempt,
    ...{ requestId: call.requestId, accountId: call.accountId, position },
    beganAt: attempt.beganAt.toISOString(),
    words: attempt.words && plain(attempt.words),
    vendorError: attempt.vendorError && JSON.stringify(attempt.vendorError),
  }));

const insertInto = {
  calls: (sql: ISql, records: RecordedCall[]) => sql`
    insert into calls (${sql(callColumns)})
    select * from ${callRows(
      sql,
      records.map(({ call }) => rowOf(call)),
    )}`,
  attempts: (sql: ISql, attempts: BatchRow<typeof ATTEMPT>[]) => sql`
    insert into call_attempts (${sql(attemptColumns)}) select * from ${attemptRows(sql, attempts)}`,
};

/** Stores new calls with their attempts, by one statement. Throws if one of them exists. */
async function insertNew(db: Db, records: RecordedCall[]): Promise<void> {
  const sql = sqlOf<ISql>(db);
  const attempts = records.flatMap(attemptRowsOf);
  await (attempts.length === 0
    ? insertInto.calls(sql, records)
    : sql`with logged as (${insertInto.calls(sql, records)}) ${insertInto.attempts(sql, attempts)}`);
}

/** Stores the calls that do not exist yet with their attempts. */
async function insertMissing(db: Db, records: RecordedCall[]): Promise<void> {
  await transaction(db, async (tx) => {
    const sql = sqlOf<ISql>(tx);
    const inserted = await sql<{ id: string }[]>`
      ${insertInto.calls(sql, records)} on conflict do nothing returning request_id as id`;
    const ids = new Set(inserted.map(({ id }) => id));
    // A call may be in the batch twice.
    const attempts = records.filter(({ call }) => ids.delete(call.requestId)).flatMap(attemptRowsOf);
    if (attempts.length > 0) {
      await insertInto.attempts(sql, attempts);
    }
  });
}

/**
 * Stores calls with their attempts. Existing calls stay as they are, with their attempts: the answer to a batch may be
 * lost, and the batch be tried again. That is rare, so the usual statement does not look for them. With tables on
 * several machines, a statement inserts into one table only.
 */
export async function insertCalls(db: Db, records: RecordedCall[]): Promise<void> {
  if (isDistributed(db)) {
    return await insertMissing(db, records);
  }
  try {
    await insertNew(db, records);
  } catch (error) {
    if (!isDuplicate(error)) {
      throw error;
    }
    await insertMissing(db, records);
  }
}
