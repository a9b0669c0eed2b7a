import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createLog } from "@/server/base/log";
import { type Database, migrateDatabase, openDatabase, openReadReplica, type ReadReplica } from "@/server/db";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/server/db/embedded";
import { sqlOf } from "@/server/db/handles";
import { callerFor } from "@/tests/support/console";
import { dataDirectory } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { freePort } from "@/tests/support/process";
import { until } from "@/tests/support/until";

const home = mkdtempSync(join(tmpdir(), "tollgate-replica-"));
let primary: EmbeddedPostgres;
let standby: { url: string; sql: Sql; stop: () => void };
let db: Database;
let replica: ReadReplica;
const lines: string[] = [];

/** Follows the server at `url` from a copy of its files that was made while it was stopped. */
async function startStandby(
  copy: string,
  { url, program, uid }: { url: string; program: string; uid: number },
) {
  const port = await freePort();
  const own = new URL(url);
  const from = `host=${own.hostname} port=${own.port} user=${own.username} password=${own.password}`;
  writeFileSync(join(copy, "standby.signal"), "");
  rmSync(join(copy, "postmaster.pid"), { force: true });
  appendFileSync(join(copy, "postgresql.auto.conf"), `\nprimary_conninfo = '${from}'\n`);
  const { gid } = statSync(copy);
  for (const path of ["", ...readdirSync(copy, { recursive: true, encoding: "utf8" })]) {
    chownSync(join(copy, path), uid, gid);
  }
  // PostgreSQL serves no directory that others may enter, and a copy has the mode that the umask gives it.
  chmodSync(copy, 0o700);
  const child = spawn(
    program,
    ["-D", copy, "-c", `port=${port}`, "-c", "max_connections=200", "-c", "unix_socket_directories="],
    { uid, gid, cwd: "/", stdio: "ignore" },
  );
  own.port = String(port);
  const sql = postgres(own.href, { max: 1, onnotice: () => {} });
  await until(async () => (await sql`select 1`.catch(() => [])).length === 1, 30_000);
  return { url: own.href, sql, stop: () => void child.kill("SIGQUIT") };
}

beforeAll(async () => {
  const first = await startEmbeddedPostgres(join(home, "data"), () => {});
  const data = await dataDirectory(first.url);
  const [pid] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  const program = readlinkSync(`/proc/${pid}/exe`);
  const { uid } = statSync(`/proc/${pid}`);
  await first.stop();
  const copy = join(dirname(data), "standby");
  cpSync(data, copy, { recursive: true });
  primary = await startEmbeddedPostgres(join(home, "data"), () => {});
  standby = await startStandby(copy, { url: primary.url, program, uid });
  db = openDatabase(primary.url, { connections: 2 });
  await sqlOf(db)`create table notes (text text)`;
  const log = createLog("info", { write: (line) => void lines.push(line) });
  replica = openReadReplica(db, { url: standby.url, connections: 2, log });
});
afterAll(async () => {
  await replica.close();
  await db.close();
  await standby.sql.end();
  standby.stop();
  await primary.stop();
  rmSync(home, { recursive: true, force: true });
});

const isStandby = async () => {
  const [row] = await sqlOf(replica.pick())<{ is: boolean }[]>`select pg_is_in_recovery() as is`;
  return row?.is === true;
};
const count = async () => (await sqlOf(replica.pick())`select from notes`).length;

test("lists are read from the standby, and know what was written a moment ago", async () => {
  await until(isStandby, 10_000);
  for (let written = 1; written <= 20; written++) {
    await sqlOf(db)`insert into notes values ('one')`;
    replica.noteWrite();
    expect(await count()).toBe(written);
  }
  await until(isStandby, 10_000);
  expect(await count()).toBe(20);
});

test("from one that lags they are not, and from one that has caught up they are again", async () => {
  await standby.sql`select pg_wal_replay_pause()`;
  await sqlOf(db)`insert into notes values ('late')`;
  await until(() => replica.trouble() === "it lags behind", 15_000);
  expect(await isStandby()).toBe(false);
  expect(await count()).toBe(21);
  await standby.sql`select pg_wal_replay_resume()`;
  await until(isStandby, 10_000);
  expect(await count()).toBe(21);
  expect(replica.trouble()).toBeNull();
  expect(lines.filter((line) => line.includes("from the database itself"))).toHaveLength(1);
});

test("a gateway reads its audit log from there, with the change that was made a moment before", async () => {
  const databaseUrl = primary.url;
  await migrateDatabase(databaseUrl, "drizzle");
  const gateway = await startGateway({ databaseUrl, env: { DATABASE_READ_URL: standby.url } });
  const readiness = async () => (await fetch(`${gateway.url}/readyz`)).text();
  onTestFinished(() => gateway.close());
  await eventually(readiness, 20_000).toMatch(/^replica: ok$/m);
  const operator = await callerFor(gateway, { role: "operator" });
  const { accountId } = await gateway.customer();
  const newest = async () => (await operator.audit.list({})).rows[0]?.targetId;
  await operator.accounts.rename({ accountId, name: "Renamed" });
  expect(await newest()).toBe(accountId);
  const asked = async () => await standby.sql`select from pg_stat_activity where query like 'select "%'`;
  await eventually(async () => [await newest(), (await asked()).length > 0], 20_000).toEqual([
    accountId,
    true,
  ]);
});

test("a database that is no standby, or one that is away, is not read from", async () => {
  const log = createLog("silent");
  const itself = openReadReplica(db, { url: primary.url, connections: 1, log });
  await until(() => /no standby/.test(itself.trouble() ?? ""), 10_000);
  expect(itself.pick()).toBe(db);
  await itself.close();
  standby.stop();
  await until(() => replica.trouble() === "it does not answer", 20_000);
  expect(replica.pick()).toBe(db);
});
