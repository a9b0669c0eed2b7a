/**
 * Rows that one process at a time works on. A claim marks a row with a lease and with a token: the name of its run, or
 * the number of its attempt. The owner renews the lease while it lives, and its writes name the token, so that they
 * change nothing after another process has taken the row over. Why no library does this: decision 70.
 */
import { and, asc, lte, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db } from "./client";
import { ormOf } from "./handles";

/** The end of a lease that begins now, by the database's clock, which all processes share. */
export const leaseFor = (seconds: number): SQL<Date> => sql`now() + make_interval(secs => ${seconds})`;

/** Whether a lease has ended, or a row has expired. False for null. */
export const isOver = (until: PgColumn): SQL => lte(until, sql`now()`);

type Claim = {
  where: SQL | undefined;
  /** The first of these columns decides, each ascending. */
  orderBy?: PgColumn[];
  limit?: number;
};

/**
 * The condition of an update that claims rows: the first ones that no other transaction has locked at this moment. Of
 * any number of processes, one gets a row.
 *
 * The keys are an array because PostgreSQL computes an uncorrelated array once. It may run a subquery after `in` again
 * for each row of the table, and then the update claims more rows than `limit` (seen by pg-boss under stale estimates).
 */
export function isNextOf(db: Db, key: PgColumn, { where, orderBy = [], limit }: Claim): SQL {
  const rows = ormOf(db)
    .select({ key })
    .from(key.table)
    .where(where)
    .orderBy(...orderBy.map((column) => asc(column)))
    .$dynamic();
  const bounded = limit === undefined ? rows : rows.limit(limit);
  return sql`${key} = any(array(${bounded.for("update", { skipLocked: true })}))`;
}

type ExpiringTable = PgTable & { accountId: PgColumn; hash: PgColumn; expiresAt: PgColumn };

const SWEPT_AT_ONCE = 1_000;

/**
 * Deletes rows that have expired by `now`, else by the database's clock. Returns how many, and there may be more.
 * Running it twice is safe. `isFree`: a further condition.
 */
export async function sweepExpired(
  db: Db,
  table: ExpiringTable,
  { now = sql`now()`, isFree }: { now?: Date | SQL; isFree?: SQL } = {},
): Promise<number> {
  const { accountId, hash, expiresAt } = table;
  const expired = ormOf(db)
    .select({ accountId, hash })
    .from(table as PgTable)
    .where(and(lte(expiresAt, now), isFree))
    .limit(SWEPT_AT_ONCE);
  const { count } = await ormOf(db).delete(table).where(sql`(${accountId}, ${hash}) in (${expired})`);
  return count;
}
