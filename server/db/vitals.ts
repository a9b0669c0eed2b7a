import type { Database } from "./client";
import { relaxed, sqlOf } from "./handles";

/**
 * Asks for a connection of each pool that calls have money frozen and charged by. Throws what the driver throws; waits
 * for as long as there is none.
 */
export async function askPools(db: Database): Promise<void> {
  await Promise.all([sqlOf(db)`select 1`, sqlOf(relaxed(db))`select 1`]);
}

/** The clock of the database, in milliseconds of the Unix epoch. */
export async function askDatabaseClock(db: Database): Promise<number> {
  const [row] = await sqlOf(relaxed(db))<{ now: number }[]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
  return row?.now ?? Number.NaN;
}

/** SQLSTATE, or the driver's or system's code, of an error or of what caused it; null: it has none. */
export function errorCode(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string") {
      return code;
    }
  }
  return null;
}
