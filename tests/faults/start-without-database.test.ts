/** A real server that starts while its real PostgreSQL is stopped. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { deleteKey, issueKey, setAccountLimits } from "@/server/access";
import { createVault } from "@/server/base/vault";
import { countArrears } from "@/server/billing";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { migrateDatabase, openDatabase } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { sqlOf } from "@/server/db/handles";
import { addCustomer, money } from "@/tests/support/customer";
import { linkTo } from "@/tests/support/database-link";
import { freePort } from "@/tests/support/free-port";
import { serverEnvironment } from "@/tests/support/gateway";
import { openLedger } from "@/tests/support/ledger";
import { perFile } from "@/tests/support/per-file";
import { isReady, type ServerProcess, startServer, startStandIn } from "@/tests/support/process";
import { callOnce } from "@/tests/support/traffic";
import { until } from "@/tests/support/until";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const MODEL = "snapshot-model";
const ALLOWANCE = money("50");

const upstream = perFile(() => startUpstream(answerWith("Hello there", usage(7, 3))));

/** Its own PostgreSQL with a customer, and the environment of a server on a port that stays the same. */
async function installation() {
  const home = mkdtempSync(join(tmpdir(), "tollgate-snapshot-"));
  let database = await startEmbeddedPostgres(join(home, "postgres"), () => {});
  const link = await linkTo(database.url);
  await migrateDatabase(link.url, "drizzle");
  const dataDir = join(home, "data");
  const env = {
    ...serverEnvironment(link.url),
    ...{
      LOG_LEVEL: "warn",
      CHARGES: "file",
      SNAPSHOT_MINUTES: "2",
      TOLLGATE_DATA_DIR: dataDir,
      PORT: String(await freePort()),
    },
  };
  const db = openDatabase(link.url);
  await saveModel(db, {
    ...{ id: MODEL, kind: "chat", isEnabled: true, maxOutputTokens: 1_000 },
    ...{ inputPrice: money("1"), outputPrice: money("2") },
  });
  await addChannel(
    db,
    {
      ...{ name: "snapshot", dialect: "openai", secrets: ["secret"], models: { [MODEL]: MODEL } },
      baseUrl: upstream.baseUrl,
    },
    createVault(env.ENCRYPTION_KEY),
  );
  const customer = await addCustomer(db, env.KEY_PEPPER, { name: "allowed", quota: "1000" });
  await setAccountLimits(db, { accountId: customer.accountId, outageAllowance: ALLOWANCE });
  const servers: ServerProcess[] = [];
  onTestFinished(async () => {
    await db.close();
    await Promise.all(servers.map((server) => server.stop()));
    await link.close();
    await database.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const charges = join(dataDir, "charges");
  return {
    ...{ db, env, customer, charges, link, address: `http://127.0.0.1:${env.PORT}` },
    start: async (begin = startServer) => {
      const server = await begin(env);
      servers.push(server);
      return server;
    },
    stopDatabase: async () => {
      await database.stop();
      link.cut();
    },
    /** It runs, and the server does not reach it before `link.mend`. */
    startDatabase: async () => {
      database = await startEmbeddedPostgres(join(home, "postgres"), () => {});
      link.lead(database.url);
      return database.url;
    },
    filesOf: (state: string) => readdirSync(charges).filter((name) => name.endsWith(`.${state}`)),
  };
}

type Database = ReturnType<typeof openDatabase>;

/** The recorded parts of the allowance: of processes, and of reserves. */
async function partsOf(db: Database): Promise<{ ofProcesses: bigint; reserved: bigint }> {
  const rows = await sqlOf(db)<{ id: string; amount: string }[]>`
    select process_id as id, amount::text from outage_parts`;
  const sumOf = (isReserve: boolean) =>
    rows
      .filter(({ id }) => id.startsWith("reserve_") === isReserve)
      .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  return { ofProcesses: sumOf(false), reserved: sumOf(true) };
}

async function kill(server: ServerProcess, address: string): Promise<void> {
  server.child.kill("SIGKILL");
  // Its processes end when they notice that their parent has.
  await until(async () => !(await isReady(address)), 30_000);
}

/** The highest version of the schema that a release must know. */
const requireRelease = async (url: string, serves: number | null): Promise<void> => {
  const direct = openDatabase(url);
  await sqlOf(direct)`
    update drizzle.__drizzle_migrations set serves = ${serves}
    where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`;
  await direct.close();
};

type Site = Awaited<ReturnType<typeof installation>>;

const WHOLE = { ofProcesses: (ALLOWANCE * 9n) / 10n, reserved: ALLOWANCE / 10n };

/** Waits until processes and the reserve have the whole allowance, and a file that a start may claim has its part. */
async function isPrepared(db: Database, { filesOf, charges }: Site): Promise<void> {
  let wholeSince = 0;
  await until(async () => {
    const { ofProcesses, reserved } = await partsOf(db);
    wholeSince ||= ofProcesses === WHOLE.ofProcesses && reserved === WHOLE.reserved ? Date.now() : 0;
    return (
      wholeSince > 0 && filesOf("sealed").some((name) => statSync(join(charges, name)).mtimeMs > wholeSince)
    );
  }, 120_000);
}

/** Calls, whose charges the ledger must have once in the end. */
function caller({ customer, address, link, charges }: Site) {
  const served: (string | null | undefined)[] = [];
  const call = async (secret = customer.secret) =>
    await callOnce({ url: address, secret, model: MODEL }, false);
  return {
    call,
    served,
    serve: async (count: number) => {
      for (let index = 0; index < count; index++) {
        const answer = await call();
        expect(answer).toMatchObject({ status: 200 });
        served.push(answer.requestId);
      }
    },
    /** In the ledger, once each, as calls of an outage. */
    areCharged: async () => {
      await until(async () => (await countArrears(charges)) === 0, 60_000);
      const ledger = openLedger(link.url);
      try {
        const rows = await sqlOf(ledger.db)<{ id: string; note: string | null }[]>`
          select id, note from ledger_entries where kind = 'capture' and account_id = ${customer.accountId}`;
        for (const requestId of served) {
          expect(rows.filter(({ id }) => id === requestId)).toEqual([{ id: requestId, note: "outage" }]);
        }
        expect(await ledger.verify()).toEqual([]);
      } finally {
        await ledger.close();
      }
    },
  };
}

type Caller = ReturnType<typeof caller>;

/** A stand-in is killed, and a further start is refused. Returns the server that runs after the outage. */
async function outageWithKill(site: Site, { call, serve, areCharged }: Caller): Promise<ServerProcess> {
  const { db, customer, address, charges, link } = site;
  const first = await site.start();
  expect(await call()).toMatchObject({ status: 200 });
  await isPrepared(db, site);
  const revoked = await issueKey(db, { accountId: customer.accountId, name: "revoked" }, site.env.KEY_PEPPER);
  expect(await call(revoked.secret)).toMatchObject({ status: 200 });
  const revokedAt = Date.now();
  await deleteKey(db, { accountId: customer.accountId, keyId: revoked.id });
  await until(async () => (await call(revoked.secret)).status === 401);
  await until(() => site.filesOf("sealed").some((name) => statSync(join(charges, name)).mtimeMs > revokedAt));
  expect(site.filesOf("sealed").map((name) => statSync(join(charges, name)).mode & 0o777)).toEqual([0o600]);
  await kill(first, address);
  await site.stopDatabase();

  const second = await site.start(startStandIn);
  await serve(5);
  expect(await call(revoked.secret)).toMatchObject({ status: 401 });
  expect(await call(`${customer.secret.slice(0, -4)}AAAA`)).toMatchObject({
    status: 503,
    error: "unavailable",
  });
  expect((await fetch(`${address}/sign-in`)).status).toBe(503);
  const readiness = await fetch(`${address}/readyz`);
  expect([readiness.status, await readiness.text()]).toEqual([
    200,
    expect.stringMatching(/^snapshot: degraded: .*minutes ago/m),
  ]);
  const metrics = await (await fetch(`${address}/metrics`)).text();
  expect(Number(/^tollgate_snapshot_age_seconds (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
  expect(await countArrears(charges)).toBe(5);

  // Killed in the same outage: the reserve is claimed once and for ever.
  await kill(second, address);
  await expect(site.start(startStandIn)).rejects.toThrow("no other start has used");
  expect([site.filesOf("sealed").length, site.filesOf("claimed").length]).toEqual([0, 1]);

  await site.startDatabase();
  link.mend();
  const third = await site.start();
  await areCharged();
  // What the run has left is returned.
  await until(() => site.filesOf("claimed").length === 0, 60_000);
  return third;
}

/** A stand-in serves through a return that fails, until the database is really back. */
async function outageWithFailingReturn(
  site: Site,
  first: ServerProcess,
  { call, serve, served, areCharged }: Caller,
): Promise<void> {
  const { address, link } = site;
  const before = served.length;
  await kill(first, address);
  await site.stopDatabase();
  const second = await site.start(startStandIn);
  await serve(2);

  // The database belongs to a later release, and then its connections break.
  const url = await site.startDatabase();
  await requireRelease(url, 9_999);
  link.mend();
  await until(() => second.output().includes("belongs to a later release"), 60_000);
  await serve(2);
  link.cut();
  await requireRelease(url, null);
  for (let round = 0; round < 4; round++) {
    link.mend();
    await sleep(700);
    link.cut({ abruptly: true });
    await serve(1);
  }
  link.mend();
  await until(() => second.output().includes("Tollgate is up."), 60_000);
  await areCharged();
  expect(await call()).toMatchObject({ status: 200 });
  // The stand-in has ended, and its reserve is returned.
  await until(() => site.filesOf("claimed").length === 0, 60_000);
  const ledger = openLedger(link.url);
  try {
    const [calls] = await sqlOf(ledger.db)<{ count: string }[]>`
      select count(*)::text from calls
      where request_id = any(${served.slice(before).map((id) => id ?? "")})`;
    expect([served.length - before, calls?.count]).toEqual([8, "8"]);
  } finally {
    await ledger.close();
  }
}

test("a server that starts without PostgreSQL serves from its reserve, and knows what was revoked; a second start in one outage sells nothing, and each call is charged once", async () => {
  const site = await installation();
  const calls = caller(site);
  const server = await outageWithKill(site, calls);
  // A whole reserve takes the place of the spent one.
  expect(await calls.call()).toMatchObject({ status: 200 });
  await isPrepared(site.db, site);
  await outageWithFailingReturn(site, server, calls);
});
