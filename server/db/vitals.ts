import type { Database } from "./client";
import { relaxed, sqlOf } from "./handles";

/**
 * Uses a connection of each pool with which calls freeze and charge money. Throws the driver's error; waits as long as
 * none is free.
 */
export async function askPools(db: Database): Promise<void> {
  await Promise.all([sqlOf(db)`select 1`, sqlOf(relaxed(db))`select 1`]);
}

/** The database's clock, in milliseconds of the Unix epoch. */
export async function askDatabaseClock(db: Database): Promise<number> {
  const [row] = await sqlOf(relaxed(db))<{ now: number }[]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
  return row?.now ?? Number.NaN;
}
