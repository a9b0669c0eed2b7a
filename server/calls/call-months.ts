import { sql } from "drizzle-orm";
import { lowestId } from "@/server/base/ids";
import { type Db, dropPartition, listPartitions, makePartition } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const TABLES = ["calls", "call_attempts"];
/** Months that are made ahead: a failure to make one is noticed before the last one is used up. */
const MONTHS_AHEAD = 2;

/** A month (UTC), so many after that of a moment. */
const monthAt = (moment: Date, after: number) =>
  new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + after, 1));

/**
 * Makes the partitions of this month and of the next ones; a call's is that in which its identifier was made. What comes
 * in a month without one is kept all the same, with others of the kind (`calls_rest`), until there is one.
 */
export async function makeCallMonths(db: Db, now: Date): Promise<void> {
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const [first, next] = [monthAt(now, ahead), monthAt(now, ahead + 1)];
    const [from, to] = [lowestId("req", first), lowestId("req", next)];
    for (const table of TABLES) {
      await makePartition(db, {
        table,
        month: first.toISOString().slice(0, 7),
        bound: `for values from ('${from}') to ('${to}')`,
        isOf: `request_id >= '${from}' and request_id < '${to}'`,
      });
    }
  }
}

/** Drops the months of which every call began before this moment. */
export async function dropCallMonths(db: Db, before: Date): Promise<void> {
  const oldest = before.toISOString().slice(0, 7);
  for (const table of TABLES) {
    for (const month of await listPartitions(db, table)) {
      if (month < oldest) {
        await dropPartition(db, { table, month });
      }
    }
    // What came when there was no partition of its month, and none was made since.
    const rest = sql.identifier(`${table}_rest`);
    await ormOf(db).execute(sql`delete from ${rest} where request_id < ${lowestId("req", before)}`);
  }
}
