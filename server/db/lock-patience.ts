/** Taking locks without keeping anybody waiting: asked for briefly, and again later. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ISql, Sql } from "postgres";
import { ConfigError } from "@/server/base/config";

/**
 * While one statement waits for a table, all later ones wait behind it, reads too. This is the longest that a migration
 * without its lock delays a call.
 */
export const LOCK_MS = 150;

const TRIES = 40;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [200, 5_000];
/** lock_not_available; deadlock_detected, in which PostgreSQL chose us. */
const BUSY = ["55P03", "40P01"];

export type Say = (line: string) => void;

/** A lock that somebody else has. */
export class Busy extends Error {
  readonly code = "55P03";
}

const isBusy = (error: unknown): boolean => BUSY.includes(String((error as { code?: unknown })?.code));

/** Before the next try, after so many; by chance a half of it, so that several replicas do not come at once. */
export const pauseMs = (tries: number, random = Math.random()): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 10), LONGEST_PAUSE_MS) * (0.5 + random / 2);

/** Who has had a transaction open for longest: the likeliest to have the lock. */
async function findOldest(sql: ISql): Promise<string> {
  const rows = await sql<{ pid: number; name: string; seconds: number }[]>`
    select pid, coalesce(nullif(application_name, ''), usename, 'unknown') as name,
      extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
      and backend_type = 'client backend'
    order by xact_start limit 3`;
  const named = rows.map(({ pid, name, seconds }) => `${pid} (${name}) for ${seconds.toFixed(1)} s`);
  return named.length === 0 ? "no transaction is open now" : `open: ${named.join(", ")}`;
}

/**
 * Does something that needs locks until it gets them. Throws ConfigError, with who was in the way, when it never does.
 * `act` must be safe to do again after it failed for a lock.
 */
export async function patiently<T>(
  { sql, what, say }: { sql: Sql; what: string; say: Say },
  act: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (!isBusy(error)) {
        throw error;
      }
      const inTheWay = await findOldest(sql);
      if (tries === TRIES) {
        throw new ConfigError(
          `${what} needs a lock that it did not get in ${TRIES} tries; processes of PostgreSQL with transactions ${inTheWay}. Nothing of it was done. End them, or try again later.`,
          { cause: error },
        );
      }
      if (tries % 5 === 1) {
        say(`${what} waits for a lock; processes of PostgreSQL with transactions ${inTheWay}`);
      }
      await sleep(pauseMs(tries));
    }
  }
}
