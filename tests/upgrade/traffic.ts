import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { callOnce } from "@/tests/support/traffic";

/**
 * Measurements since the previous phase. `machineMs`: the longest time that the same servers took for a request without
 * the database, which is the machine's doing; `waitMs`: the longest time that a statement was seen to wait for a lock.
 */
export type Phase = {
  name: string;
  calls: number;
  slowestMs: number;
  p99Ms: number;
  machineMs: number;
  waitMs: number;
};

/** A hundred calls a second. */
const EVERY_MS = 10;
/** Every fourth call comes with a request that needs no database. */
const LOOKS_EVERY = 4;
const LOOK_EVERY_MS = 20;

/**
 * Makes calls side by side, every fourth a stream, to the servers in turn. `end` closes a phase. Failures are of
 * all phases.
 */
export function startTraffic({ secret, model }: { secret: string; model: string }) {
  let servers: string[] = [];
  let times: number[] = [];
  let machineMs = 0;
  const failures: string[] = [];
  const under = new Set<Promise<void>>();
  let serial = 0;

  async function call(url: string, isStream: boolean): Promise<void> {
    const { ms, isWhole, status, error } = await callOnce({ url, secret, model }, isStream);
    times.push(ms);
    if (!isWhole) {
      failures.push(`${url}: ${status} ${error}`);
    }
  }
  async function look(url: string): Promise<void> {
    const startedAt = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    machineMs = Math.max(machineMs, Math.round(performance.now() - startedAt));
  }
  const timer = setInterval(() => {
    const url = servers[serial % servers.length];
    if (url === undefined) {
      return;
    }
    serial++;
    const looked = serial % LOOKS_EVERY === 1 ? look(url) : null;
    const ended = Promise.all([call(url, serial % 4 === 0), looked])
      .then(() => {})
      .catch((error: unknown) => void failures.push(`${url}: ${String((error as Error).cause ?? error)}`))
      .finally(() => under.delete(ended));
    under.add(ended);
  }, EVERY_MS);
  return {
    failures,
    goTo: (urls: string[]) => {
      servers = urls;
    },
    end: (): Omit<Phase, "name" | "waitMs"> => {
      const sorted = times.sort((a, b) => a - b);
      times = [];
      const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
      const figures = { calls: sorted.length, slowestMs: at(1), p99Ms: at(0.99), machineMs };
      machineMs = 0;
      return figures;
    },
    stop: async () => {
      clearInterval(timer);
      await Promise.all(under);
    },
  };
}

export function watchLocks(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  let longestMs = 0;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      const [row] = await sql<{ ms: number | null }[]>`
        select max(extract(epoch from clock_timestamp() - query_start) * 1000)::float8 as ms from pg_stat_activity
        where wait_event_type = 'Lock' and application_name = 'tollgate' and datname = current_database()`;
      longestMs = Math.max(longestMs, row?.ms ?? 0);
      await sleep(LOOK_EVERY_MS);
    }
  })();
  return {
    longest: () => {
      const until = Math.round(longestMs);
      longestMs = 0;
      return until;
    },
    stop: async () => {
      isStopped = true;
      await watching;
      await sql.end();
    },
  };
}
