import { getTableColumns, sql, type Table } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { calls, callAttempts } = tables;

/** One request to an upstream. Times in milliseconds. */
export type AttemptRecord = Omit<typeof callAttempts.$inferSelect, "requestId" | "accountId" | "position">;

/** One call of a known key, however it ended. */
export type CallRecord = typeof calls.$inferSelect;

/** The identifier of a call's charge. A repeated submission has the task of the first one, and so its one charge. */
export const chargeIdOf = (call: CallRecord): string => call.taskId ?? call.requestId;

/** A call with its attempts, in order. */
export type RecordedCall = { call: CallRecord; attempts: AttemptRecord[] };

/** Longer than any model's name. */
const MAX_MODEL_CHARACTERS = 200;

/** A client's text as PostgreSQL takes it, which refuses NUL and half a surrogate pair. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cs}]/gu, "");

/**
 * Rows as a record set in one parameter: building a statement of thousands of values takes a busy process 40 times as
 * long.
 */
function recordSet(table: Table, rows: object[]) {
  const definitions = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sql`${sql.identifier(name)} ${sql.raw(column.getSQLType())}`,
  );
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as (${sql.join(definitions, sql`, `)})`;
}

/**
 * Stores calls and then their attempts, in one statement each. Existing rows stay as they are: the answer to a batch
 * may be lost, and the batch be tried again.
 */
export async function insertCalls(db: Db, records: RecordedCall[]): Promise<void> {
  const orm = ormOf(db);
  const rows = records.map(({ call }) => ({
    ...call,
    modelId: call.modelId === null ? null : plain(call.modelId.slice(0, MAX_MODEL_CHARACTERS)),
    errorMessage: call.errorMessage && plain(call.errorMessage),
    ignored: call.ignored?.map(({ member, reason }) => ({ member: plain(member), reason })),
  }));
  await orm.insert(calls).select(recordSet(calls, rows)).onConflictDoNothing();
  const tried = records.flatMap(({ call: { requestId, accountId }, attempts }) =>
    attempts.map(({ words, ...attempt }, position) => ({
      ...{ requestId, accountId, position, ...attempt },
      words: words && plain(words),
    })),
  );
  if (tried.length > 0) {
    await orm.insert(callAttempts).select(recordSet(callAttempts, tried)).onConflictDoNothing();
  }
}
