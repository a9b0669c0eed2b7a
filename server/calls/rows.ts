import { getTableColumns, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { calls } = tables;

/** One call of a known key, however it ended. */
export type CallRecord = typeof calls.$inferSelect;

/** Longer than any model's name. */
const MAX_MODEL_CHARACTERS = 200;

/** Text of a client's as PostgreSQL takes it, which refuses NUL and half a surrogate pair. */
const plain = (text: string) => text.slice(0, MAX_MODEL_CHARACTERS).replace(/[\p{Cc}\p{Cs}]/gu, "");

/** A call's members as the columns of a record set. */
const definitions = sql.join(
  Object.entries(getTableColumns(calls)).map(
    ([name, column]) => sql`${sql.identifier(name)} ${sql.raw(column.getSQLType())}`,
  ),
  sql`, `,
);

/**
 * Stores calls in one statement. One that is there already stays as it is: an answer may be lost, and the batch be
 * tried again. One parameter for all of them: a busy process builds a statement of thousands for 40 times as long.
 */
export async function insertCalls(db: Db, records: CallRecord[]): Promise<void> {
  const rows = records.map((call) => ({
    ...call,
    modelId: call.modelId === null ? null : plain(call.modelId),
  }));
  await ormOf(db)
    .insert(calls)
    .select(sql`select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as (${definitions})`)
    .onConflictDoNothing();
}
