import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createLog } from "@/server/base/log";
import { type Database, migrateDatabase, openDatabase, openReadReplica, type ReadReplica } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { callerFor } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { startPrimaryAndStandby } from "@/tests/support/standby";
import { until } from "@/tests/support/until";

type Both = Awaited<ReturnType<typeof startPrimaryAndStandby>>;
let primary: Both["primary"];
let standby: Both["standby"];
let close: Both["close"];
let db: Database;
let replica: ReadReplica;
const lines: string[] = [];

beforeAll(async () => {
  ({ primary, standby, close } = await startPrimaryAndStandby());
  db = openDatabase(primary.url, { connections: 2 });
  await sqlOf(db)`create table notes (text text)`;
  const log = createLog("info", { write: (line) => void lines.push(line) });
  replica = openReadReplica(db, { url: standby.url, connections: 2, log });
});
afterAll(async () => {
  await replica.close();
  await db.close();
  await close();
});

const isStandby = async () => {
  const [row] = await sqlOf(replica.pick())<{ is: boolean }[]>`select pg_is_in_recovery() as is`;
  return row?.is === true;
};
const count = async () => (await sqlOf(replica.pick())`select from notes`).length;

test("lists are read from the standby, and include the writes of a moment ago", async () => {
  await until(isStandby, 10_000);
  for (let written = 1; written <= 20; written++) {
    await sqlOf(db)`insert into notes values ('one')`;
    replica.noteWrite();
    expect(await count()).toBe(written);
  }
  await until(isStandby, 10_000);
  expect(await count()).toBe(20);
});

test("lists are not read from a standby that lags, and are read from it again when it has caught up", async () => {
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

test("a gateway reads its audit log from the standby, including the change of a moment before", async () => {
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
  const standbyQueries = async () =>
    await standby.sql`select from pg_stat_activity where query like 'select "%'`;
  await eventually(async () => [await newest(), (await standbyQueries()).length > 0], 20_000).toEqual([
    accountId,
    true,
  ]);
});

test("a database that is no standby or does not answer is not read from", async () => {
  const log = createLog("silent");
  const itself = openReadReplica(db, { url: primary.url, connections: 1, log });
  await until(() => /no standby/.test(itself.trouble() ?? ""), 10_000);
  expect(itself.pick()).toBe(db);
  await itself.close();
  standby.stop();
  await until(() => replica.trouble() === "it does not answer", 20_000);
  expect(replica.pick()).toBe(db);
});
