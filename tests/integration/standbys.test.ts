/** A real primary, and a real standby that follows it. */
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "@/server/base/log";
import { findStandbys, migrateDatabase, openDatabase } from "@/server/db";
import { judgeStandbys } from "@/server/db/standbys";
import { commandsOn } from "@/tests/support/command";
import { eventually } from "@/tests/support/eventually";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { startSelling } from "@/tests/support/selling";
import { startPrimaryAndStandby } from "@/tests/support/standby";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(answerWith("Hello there", usage(7, 3))));
const SOON = 20_000;

let both: Awaited<ReturnType<typeof startPrimaryAndStandby>>;
/** A superuser on the primary. */
let admin: Sql;
beforeAll(async () => {
  both = await startPrimaryAndStandby();
  admin = postgres(both.primary.url, { max: 1, onnotice: () => {} });
  await migrateDatabase(both.primary.url, "drizzle");
});
afterAll(async () => {
  await admin.end({ timeout: 0 });
  await both.close();
});

/** From now on commits wait for these standbys; empty: for none. */
async function waitFor(names: string): Promise<void> {
  await admin.unsafe(`alter system set synchronous_standby_names = '${names}'`);
  await admin`select pg_reload_conf()`;
}

async function stateFor(url: string) {
  const db = openDatabase(url, { connections: 2 });
  onTestFinished(() => db.close());
  return () => findStandbys(db);
}

const readinessOf = async ({ url }: TestGateway) => (await fetch(`${url}/readyz`)).text();
const metricsOf = async ({ url }: TestGateway) =>
  (await (await fetch(`${url}/metrics`)).text())
    .split("\n")
    .filter((line) => /^tollgate_database_standby\{/.test(line));

test("a database without a standby, with an asynchronous and with a synchronous one are told apart", async () => {
  const look = await stateFor(both.primary.url);
  await eventually(look, SOON).toEqual({
    state: "asynchronous",
    names: "",
    followers: [{ name: "standby", sync: "async" }],
  });
  await waitFor("standby");
  onTestFinished(() => waitFor(""));
  await eventually(look, SOON).toEqual({
    state: "synchronous",
    names: "standby",
    followers: [{ name: "standby", sync: "sync" }],
  });
  // No server follows the standby.
  expect(await (await stateFor(both.standby.url))()).toMatchObject({ state: "none", followers: [] });
});

test("a role that may not see the state of followers learns that there is one, and whether commits wait", async () => {
  await admin`create role plain login password 'plain'`;
  const own = new URL(both.primary.url);
  [own.username, own.password] = ["plain", "plain"];
  const look = await stateFor(own.href);
  expect(await look()).toEqual({
    state: "asynchronous",
    names: "",
    followers: [{ name: "standby", sync: null }],
  });
  await waitFor("ANY 1 (standby, other)");
  onTestFinished(() => waitFor(""));
  await eventually(async () => (await look()).state, SOON).toBe("synchronous");
});

test("a session whose commits wait for no standby is asynchronous, whatever the server is set to", () => {
  const followers = [{ name: "standby", sync: "sync" }];
  const judged = ["on", "remote_apply", "remote_write", "local", "off"].map(
    (commit) => judgeStandbys({ names: "standby", commit, followers }).state,
  );
  expect(judged).toEqual([...Array(3).fill("synchronous"), ...Array(2).fill("asynchronous")]);
});

describe("a gateway that requires a synchronous standby", () => {
  test("sells nothing while commits wait for none, and sells when they do", async () => {
    const { gateway, statusOfCall } = await startSelling({
      databaseUrl: both.primary.url,
      baseUrl: upstream.baseUrl,
      mode: "require",
    });
    expect(await statusOfCall()).toBe(503);
    expect(await readinessOf(gateway)).toMatch(
      /^not ready\n[\s\S]*^standby: FAILED: no commit waits for a standby, so a failover can lose confirmed charges: standby \(async\)$/m,
    );
    expect(await metricsOf(gateway)).toEqual(['tollgate_database_standby{state="asynchronous"} 1']);
    await waitFor("standby");
    onTestFinished(() => waitFor(""));
    await eventually(statusOfCall, SOON).toBe(200);
    await eventually(() => readinessOf(gateway), SOON).toMatch(/^ready\n[\s\S]*^standby: ok$/m);
    expect(await metricsOf(gateway)).toEqual(['tollgate_database_standby{state="synchronous"} 1']);
    await waitFor("");
    await eventually(statusOfCall, SOON).toBe(503);
  });
});

test("a start with an asynchronous standby warns once, and the end of the danger is a line, too", async () => {
  const lines: { standbys?: string; msg: string }[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  const gateway = await startGateway({ databaseUrl: both.primary.url, log });
  onTestFinished(() => gateway.close());
  const loggedStates = () => lines.flatMap(({ standbys, msg }) => (standbys === undefined ? [] : [msg]));
  const warning = "a failover of the database can lose charges";
  expect(loggedStates()).toEqual([warning]);
  await waitFor("standby");
  onTestFinished(() => waitFor(""));
  await eventually(loggedStates, SOON).toEqual([warning, "the database's standbys are in order"]);
});

test.each([
  ["warn", "asynchronous", false],
  ["require", "asynchronous", false],
  ["require", "synchronous", true],
])("the doctor with SYNC_STANDBY=%s and an %s standby: %s", async (mode, state, ok) => {
  await waitFor(state === "synchronous" ? "standby" : "");
  onTestFinished(() => waitFor(""));
  const { doctorOn } = commandsOn(() => both.primary.url, { SYNC_STANDBY: mode });
  await eventually(() => doctorOn("standby"), SOON).toMatchObject({
    ok,
    detail: expect.stringContaining(ok ? "a commit waits" : "can lose confirmed charges"),
  });
});

test("with SYNC_STANDBY=ignore the doctor and the metrics say nothing of standbys, and calls are sold", async () => {
  const { gateway, statusOfCall } = await startSelling({
    databaseUrl: both.primary.url,
    baseUrl: upstream.baseUrl,
    mode: "ignore",
  });
  expect(await statusOfCall()).toBe(200);
  expect(await metricsOf(gateway)).toEqual([]);
  expect(
    await commandsOn(() => both.primary.url, { SYNC_STANDBY: "ignore" }).doctorOn("standby"),
  ).toBeUndefined();
});
