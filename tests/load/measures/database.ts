import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { parentOf } from "./process-tree";

export type Committed = { at: number; commits: number };

export type DatabaseMeter = Awaited<ReturnType<typeof openDatabaseMeter>>;

const REPORTED_WITHIN_MS = 11_000;

/** A backend's parent, if the backend is a process of this machine. */
function postmasterOf(backend: number): number | null {
  try {
    return readFileSync(`/proc/${backend}/comm`, "utf8").startsWith("postgres") ? parentOf(backend) : null;
  } catch {
    return null;
  }
}

/** Counts the activity of the database of this URL from another database, so that the measuring is not counted. */
export async function openDatabaseMeter(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return {
    /** The parent of all of PostgreSQL's processes; null if they run on another machine. */
    pid: backend ? postmasterOf(backend.pid) : null,
    /** Bytes of write-ahead log so far. */
    walBytes: async () => {
      const [row] = await sql<{ bytes: string }[]>`
        select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`;
      return Number(row?.bytes);
    },
    /** Waits until every backend has reported its commits: an idle one does so within ten seconds (`pgstat.c`). */
    committed: async () => {
      await sleep(REPORTED_WITHIN_MS);
      const [row] = await sql<{ commits: string }[]>`
        select xact_commit as commits from pg_stat_database where datname = ${name}`;
      return { at: performance.now(), commits: Number(row?.commits) };
    },
    close: () => sql.end(),
  };
}
