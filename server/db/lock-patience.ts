/** Takes locks without making others wait: it asks briefly, and again later. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ISql, Sql } from "postgres";
import { ConfigError } from "@/server/base/config";

/**
 * While one statement waits for a table, all later ones wait behind it, even reads. This is the longest that a
 * migration without its lock delays a call.
 */
export const LOCK_MS = 150;

const TRIES = 40;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [200, 5_000];
/** lock_not_available; deadlock_detected, if PostgreSQL chose us as the victim. */
const BUSY = ["55P03", "40P01"];

export type Say = (line: string) => void;

/** Another session has the lock. */
export class Busy extends Error {
  readonly code = "55P03";
}

const isBusy = (error: unknown): boolean => BUSY.includes(String((error as { code?: unknown })?.code));

/** The pause before the next try; randomly shortened by up to half, so that replicas do not try at the same time. */
export const pauseMs = (tries: number, random = Math.random()): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 10), LONGEST_PAUSE_MS) * (0.5 + random / 2);

/** The sessions with the oldest open transactions: the likeliest holders of the lock. */
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
 * Repeats an action that needs locks until it gets them. If it never does, throws ConfigError that names the sessions
 * in the way. `act` must be safe to repeat after it failed for a lock.
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
          `${what} needs a lock that it did not get in ${TRIES} tries; processes of PostgreSQL with transactions ${inTheWay}. Nothing was changed. End them, or try again later.`,
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
