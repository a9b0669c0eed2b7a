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

/** The SQLSTATE, or the code of the driver or the system, of an error or one of its causes; null: none. */
export function errorCode(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string") {
      return code;
    }
  }
  return null;
}
