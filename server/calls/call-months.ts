import { sql } from "drizzle-orm";
import {
  type Db,
  dropPartition,
  listPartitions,
  type MakeOptions,
  makePartitions,
  type Partition,
} from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { lowestId } from "@/server/domain/ids";

const TABLES = ["calls", "call_attempts"];
/** Months created ahead: a failure to create one is noticed before the last one is used up. */
const MONTHS_AHEAD = 2;

/** The first day (UTC) of the month that is `after` months later than the moment's. */
const monthAt = (moment: Date, after: number) =>
  new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + after, 1));

/**
 * Creates the partitions of this month and the next ones; a call belongs to the month in which its identifier was made.
 * Rows of a month without a partition are kept in the table's default partition (`calls_rest`) until it is created.
 */
export async function makeCallMonths(db: Db, now: Date, options?: MakeOptions): Promise<void> {
  const months: Partition[] = [];
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const [first, next] = [monthAt(now, ahead), monthAt(now, ahead + 1)];
    const [from, to] = [lowestId("req", first), lowestId("req", next)];
    for (const table of TABLES) {
      months.push({
        table,
        month: first.toISOString().slice(0, 7),
        bound: `for values from ('${from}') to ('${to}')`,
        condition: `request_id >= '${from}' and request_id < '${to}'`,
      });
    }
  }
  await makePartitions(db, months, options);
}

/** Drops the months in which every call began before this moment. */
export async function dropCallMonths(db: Db, before: Date): Promise<void> {
  const oldest = before.toISOString().slice(0, 7);
  for (const table of TABLES) {
    for (const month of await listPartitions(db, table)) {
      if (month < oldest) {
        await dropPartition(db, { table, month });
      }
    }
    // Rows that came when their month had no partition, and for which none was created since.
    const rest = sql.identifier(`${table}_rest`);
    await ormOf(db).execute(sql`delete from ${rest} where request_id < ${lowestId("req", before)}`);
  }
}
