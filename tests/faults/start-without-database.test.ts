/** A real server that starts while its real PostgreSQL is stopped. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
import { serverEnvironment } from "@/tests/support/gateway";
import { openLedger } from "@/tests/support/ledger";
import { perFile } from "@/tests/support/per-file";
import { freePort, isReady, type ServerProcess, startServer, startStandIn } from "@/tests/support/process";
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
    ...{ CHARGES: "file", TOLLGATE_DATA_DIR: dataDir, PORT: String(await freePort()) },
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
  return {
    ...{ db, env, dataDir, customer, url: link.url, address: `http://127.0.0.1:${env.PORT}` },
    start: async (begin = startServer) => {
      const server = await begin(env);
      servers.push(server);
      return server;
    },
    stopDatabase: async () => {
      await database.stop();
      link.cut();
    },
    startDatabase: async () => {
      database = await startEmbeddedPostgres(join(home, "postgres"), () => {});
      link.lead(database.url);
      link.mend();
    },
    partFiles: () => readdirSync(join(dataDir, "charges")).filter((name) => name.endsWith(".parts")),
  };
}

const partOf = async (db: ReturnType<typeof openDatabase>): Promise<string[]> =>
  (await sqlOf(db)<{ amount: string }[]>`select amount::text from outage_parts`).map(({ amount }) => amount);

test.each(["stopped", "killed"])(
  "a server that was %s and starts without PostgreSQL serves out of its part, and every call is charged once",
  async (how) => {
    const site = await installation();
    const { db, customer, address, dataDir } = site;
    const first = await site.start();
    const call = async (secret: string) => await callOnce({ url: address, secret, model: MODEL }, false);
    expect(await call(customer.secret)).toMatchObject({ status: 200 });
    await until(async () => (await partOf(db)).includes(String(ALLOWANCE)), 60_000);
    const revoked = await issueKey(
      db,
      { accountId: customer.accountId, name: "revoked" },
      site.env.KEY_PEPPER,
    );
    expect(await call(revoked.secret)).toMatchObject({ status: 200 });
    const revokedAt = Date.now();
    await deleteKey(db, { accountId: customer.accountId, keyId: revoked.id });
    const snapshot = join(dataDir, "snapshot.sealed");
    await until(async () => (await call(revoked.secret)).status === 401);
    await until(() => existsSync(snapshot) && statSync(snapshot).mtimeMs > revokedAt, 30_000);
    expect(statSync(snapshot).mode & 0o777).toBe(0o600);
    await until(() => site.partFiles().some((name) => statSync(join(dataDir, "charges", name)).size > 0));
    if (how === "killed") {
      first.child.kill("SIGKILL");
      await until(async () => !(await isReady(address)), 30_000);
      // Its processes end when they notice that their parent has.
      await until(() => site.partFiles().every((name) => name.includes(".left")), 30_000);
    } else {
      await first.stop();
    }
    await site.stopDatabase();

    const second = await site.start(startStandIn);
    const served = [];
    for (let index = 0; index < 5; index++) {
      served.push(await call(customer.secret));
    }
    expect(served.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await call(revoked.secret)).toMatchObject({ status: 401 });
    expect(await call(`${customer.secret.slice(0, -4)}AAAA`)).toMatchObject({
      status: 503,
      error: "unavailable",
    });
    expect((await fetch(`${address}/sign-in`)).status).toBe(503);
    const readiness = await fetch(`${address}/readyz`);
    expect([readiness.status, await readiness.text()]).toEqual([
      200,
      expect.stringMatching(/^snapshot: degraded: .*0 minutes ago/m),
    ]);
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(Number(/^tollgate_snapshot_age_seconds (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    expect(await countArrears(join(dataDir, "charges"))).toBe(5);

    await site.startDatabase();
    await until(() => second.output().includes("Tollgate is up."), 60_000);
    await until(async () => (await countArrears(join(dataDir, "charges"))) === 0, 60_000);
    expect(await call(customer.secret)).toMatchObject({ status: 200 });
    const ledger = openLedger(site.url);
    try {
      const rows = await sqlOf(ledger.db)<{ id: string; note: string | null }[]>`
        select id, note from ledger_entries where kind = 'capture' and account_id = ${customer.accountId}`;
      for (const { requestId } of served) {
        expect(rows.filter(({ id }) => id === requestId)).toEqual([{ id: requestId, note: "outage" }]);
      }
      expect(await ledger.verify()).toEqual([]);
      await until(
        async () => (await partOf(ledger.db)).every((amount) => amount === String(ALLOWANCE)),
        60_000,
      );
      const [calls] = await sqlOf(ledger.db)<{ count: string }[]>`
        select count(*)::text from calls where request_id = any(${served.map(({ requestId }) => requestId ?? "")})`;
      expect(calls?.count).toBe("5");
    } finally {
      await ledger.close();
    }
  },
);
