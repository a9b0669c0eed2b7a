/** Tables that grow for years, with a partition for each month: created ahead, and dropped whole. */
import { sql } from "drizzle-orm";
import { type Db, type Tx, transaction } from "./client";
import { isDistributed, ormOf } from "./handles";

/**
 * `bound`: PostgreSQL's text of the partition bound; `condition`: the same as a condition on a row, for rows that arrived
 * before the partition existed.
 */
export type Partition = { table: string; month: string; bound: string; condition: string };

/** `2026-11` of `calls` is `calls_2026_11`; rows of a month without a partition are in `calls_rest`. */
export const partitionName = ({ table, month }: Pick<Partition, "table" | "month">): string =>
  `${table}_${month.replace("-", "_")}`;

/** A statement that waits for a lock gives up soon, because calls wait behind it: it is tried again an hour later. */
const LOCK_MS = 500;

/** One replica acts at a time. It gives up soon if calls would wait for it. */
async function exclusively<T>(db: Db, table: string, act: (tx: Tx) => Promise<T>): Promise<T> {
  return await transaction(db, async (tx) => {
    await ormOf(tx).execute(sql`select pg_advisory_xact_lock(hashtext(${`partitions of ${table}`}))`);
    await ormOf(tx).execute(sql.raw(`set local lock_timeout = ${LOCK_MS}`));
    return await act(tx);
  }).catch((error: unknown) => {
    throw isForbidden(error)
      ? new Error(
          `this role may not change ${table}: \`migrate\` makes and drops its months (docs/upgrading.md)`,
          {
            cause: error,
          },
        )
      : error;
  });
}

/** insufficient_privilege. Drizzle wraps the driver's error. */
function isForbidden(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as { code?: unknown }).code === "42501") {
      return true;
    }
  }
  return false;
}

/** The months for which a table has partitions, oldest first. */
export async function listPartitions(db: Db, table: string): Promise<string[]> {
  const rows = await ormOf(db).execute<{ month: string }>(sql`
    select replace(right(relname, 7), '_', '-') as month
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${table}) and relname ~ '_[0-9]{4}_[0-9]{2}$' order by 1`);
  return rows.map(({ month }) => month);
}

/**
 * Blocks all other access for the moment in which rows move; rows move only if they came before their partition
 * existed. The lock is on the table itself, which every statement locks first: a statement that had started, and waited
 * for the rest of the months only, would already have chosen the partitions to read, and would miss the moved rows. On
 * several machines only the rest is locked: there a lock of the table behind another one is taken for a deadlock.
 */
const lockOf = (table: string, isDistributed: boolean): string =>
  `lock table ${isDistributed ? "" : `only "${table}", only `}"${table}_rest" in access exclusive mode`;

/**
 * The rows that a server moves while it serves: about two seconds' work, and all statements on the table wait for it. More
 * of them would take longer than a statement may, so that every try would block the table and move nothing.
 */
const MOST_MOVED = 100_000;

/** `mostRows`: the most rows to move; beyond that the months stay as they are. */
export type MakeOptions = { mostRows?: number };

async function refuseMany(tx: Tx, { table, month, condition }: Partition, mostRows: number): Promise<void> {
  if (!Number.isFinite(mostRows)) {
    return;
  }
  const [row] = await ormOf(tx).execute<{ isMore: boolean }>(
    sql.raw(`select exists (
      select 1 from "${table}_rest" where ${condition} offset ${mostRows} limit 1
    ) as "isMore"`),
  );
  if (row?.isMore) {
    throw new Error(
      `more than ${mostRows} rows of ${month} wait in ${table}_rest: \`migrate\` moves them, and until it has done so ` +
        `statements on ${table} wait`,
    );
  }
}

/** Creates a month's partition, and moves the rows that came before it existed. */
async function makePartition(db: Db, partition: Partition, mostRows: number): Promise<void> {
  const { table, month, bound, condition } = partition;
  if ((await listPartitions(db, table)).includes(month)) {
    return;
  }
  await exclusively(db, table, async (tx) => {
    if ((await listPartitions(tx, table)).includes(month)) {
      return;
    }
    await refuseMany(tx, partition, mostRows);
    const name = partitionName(partition);
    const run = (statement: string) => ormOf(tx).execute(sql.raw(statement));
    await run(`create table "${name}" (like "${table}" including all)`);
    await run(lockOf(table, isDistributed(db)));
    await run(`
      with moved as (delete from "${table}_rest" where ${condition} returning *) insert into "${name}" select * from moved`);
    await run(`alter table "${table}" attach partition "${name}" ${bound}`);
  });
}

/**
 * Creates months' partitions, and moves the rows that came before they existed. A month that cannot be made keeps no other
 * one from being made: its error is thrown at the end. Running it twice changes nothing.
 */
export async function makePartitions(
  db: Db,
  partitions: Partition[],
  { mostRows = MOST_MOVED }: MakeOptions = {},
): Promise<void> {
  const errors: unknown[] = [];
  for (const partition of partitions) {
    await makePartition(db, partition, mostRows).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) {
    throw errors[0];
  }
}

/** Drops a month with all its rows. */
export async function dropPartition(db: Db, partition: Pick<Partition, "table" | "month">): Promise<void> {
  await exclusively(db, partition.table, async (tx) => {
    await ormOf(tx).execute(sql.raw(`drop table if exists "${partitionName(partition)}"`));
  });
}
