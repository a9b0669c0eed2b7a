import { expect, test } from "vitest";
import { openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { freshDatabase } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { sleep } from "@/tests/support/until";

const database = perFile(async () => ({ url: await freshDatabase() }));
const operator = perFile(async () => openDatabase(database.url));

/** The gateway's connections, oldest first. PostgreSQL's own vacuum may be connected, too. */
async function pids(): Promise<number[]> {
  const rows = await sqlOf(operator)<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    order by backend_start`;
  return rows.map(({ pid }) => pid);
}

/** Longer than a connection may be idle, and longer than a silent one is trusted. */
const QUIET_MS = 26_000;

test("the connections that calls need exist before the first call, through a quiet time, and again after a loss", async () => {
  const db = openDatabase(database.url);
  await db.keepWarm();
  const first = await pids();
  expect(first).toHaveLength(8);
  await sleep(QUIET_MS);
  expect(await pids()).toEqual(first);
  await sqlOf(operator)`select pg_terminate_backend(pid) from unnest(${first}::int[]) as pid`;
  await eventually(pids).toHaveLength(8);
  await db.close();
  await eventually(pids).toEqual([]);
});
