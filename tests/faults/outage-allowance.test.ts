/**
 * A real PostgreSQL that is stopped and started under traffic. OUTAGE_SECONDS=600 OUTAGE_CALLS=50: ten minutes under 50
 * calls a second.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { setAccountLimits } from "@/server/access";
import { nanos } from "@/server/base/money";
import { createVault } from "@/server/base/vault";
import { countArrears } from "@/server/billing";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { migrateDatabase, openDatabase } from "@/server/db";
import { startEmbeddedPostgres } from "@/server/db/embedded";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { addCustomer, money } from "@/tests/support/customer";
import { linkTo } from "@/tests/support/database-link";
import { serverEnvironment } from "@/tests/support/gateway";
import { openLedger } from "@/tests/support/ledger";
import { perFile } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { callOnce, startTraffic, type TrafficResult } from "@/tests/support/traffic";
import { until } from "@/tests/support/until";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const SECONDS = Number(process.env.OUTAGE_SECONDS ?? 20);
const CALLS_A_SECOND = Number(process.env.OUTAGE_CALLS ?? 20);
const MODEL = "outage-model";
const ALLOWANCE = money("50");

const upstream = perFile(() => startUpstream(answerWith("Hello there", usage(7, 3))));

/** Its own PostgreSQL with two customers, and a server of two processes whose charges go to files. */
async function selling() {
  const home = mkdtempSync(join(tmpdir(), "tollgate-outage-"));
  const folder = join(home, "postgres");
  let database = await startEmbeddedPostgres(folder, () => {});
  // While it is stopped, another program may take its port: the link keeps the address.
  const link = await linkTo(database.url);
  const { url } = link;
  await migrateDatabase(url, "drizzle");
  const env = serverEnvironment(url);
  const db = openDatabase(url);
  await saveModel(db, {
    ...{ id: MODEL, kind: "chat", isEnabled: true, maxOutputTokens: 1_000 },
    ...{ inputPrice: money("1"), outputPrice: money("2") },
  });
  const channel = {
    name: "outage",
    dialect: "openai" as const,
    secrets: ["secret"],
    models: { [MODEL]: MODEL },
  };
  await addChannel(db, { ...channel, baseUrl: upstream.baseUrl }, createVault(env.ENCRYPTION_KEY));
  const [allowed, refused] = [
    await addCustomer(db, env.KEY_PEPPER, { name: "allowed", quota: "1000" }),
    await addCustomer(db, env.KEY_PEPPER, { name: "refused", quota: "1000" }),
  ];
  await setAccountLimits(db, { accountId: allowed.accountId, outageAllowance: ALLOWANCE });
  await db.close();
  const dataDir = join(home, "data");
  const server = await startServer({
    ...env,
    ...{ CHARGES: "file", TOLLGATE_DATA_DIR: dataDir, WEB_CONCURRENCY: "2" },
  });
  onTestFinished(async () => {
    await server.stop();
    await link.close();
    await database.stop();
    rmSync(home, { recursive: true, force: true });
  });
  return {
    ...{ url, allowed, refused },
    target: ({ secret }: { secret: string }) => ({ url: server.url, secret, model: MODEL }),
    waiting: () => countArrears(join(dataDir, "charges")),
    stop: async () => {
      await database.stop();
      link.cut();
    },
    start: async () => {
      database = await startEmbeddedPostgres(folder, () => {});
      link.lead(database.url);
      link.mend();
    },
  };
}

const partsOf = async (url: string, accountId: AccountId): Promise<bigint[]> => {
  const db = openDatabase(url);
  try {
    const rows = await sqlOf(db)<{ amount: string }[]>`
      select amount::text from outage_parts where account_id = ${accountId}`;
    return rows.map(({ amount }) => BigInt(amount));
  } finally {
    await db.close();
  }
};

const sumOf = (amounts: bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

/** Checks that each whole answer has its charge, and that the sums are those of the entries. Returns the marked charges. */
async function checkLedger(url: string, accountId: AccountId, results: TrafficResult[]) {
  const ledger = openLedger(url);
  try {
    await until(async () => (await ledger.months([accountId])).every(({ frozen }) => frozen === 0n), 60_000);
    const rows = await sqlOf(ledger.db)<{ id: string; amount: string; note: string | null }[]>`
      select id, amount::text, note from ledger_entries where account_id = ${accountId} and kind = 'capture'`;
    const whole = results.flatMap(({ requestId, isWhole }) => (isWhole && requestId ? [requestId] : []));
    const charged = new Set(rows.map(({ id }) => id));
    expect(whole.filter((id) => !charged.has(id))).toEqual([]);
    expect(await ledger.verify()).toEqual([]);
    const [month] = await ledger.months([accountId]);
    expect(month?.used).toBe(sumOf(rows.map(({ amount }) => BigInt(amount))));
    const [sold] = await sqlOf(ledger.db)<{ outage: string }[]>`
      select outage::text from account_months where account_id = ${accountId}`;
    const marked = rows.filter(({ note }) => note?.startsWith("outage"));
    expect(nanos(sold?.outage ?? "0")).toBe(sumOf(marked.map(({ amount }) => BigInt(amount))));
    return marked.length;
  } finally {
    await ledger.close();
  }
}

test("PostgreSQL is stopped under traffic: every call within the allowance is served from the first moment, and charged later", async () => {
  const { url, allowed, refused, target, waiting, stop, start } = await selling();
  expect(await callOnce(target(refused), false)).toMatchObject({ status: 200 });
  // Connections are spread over the processes.
  const traffic = startTraffic({ ...target(allowed), isFresh: true }, CALLS_A_SECOND);
  const { accountId } = allowed;
  const half = ALLOWANCE / 2n;
  await until(async () => (await partsOf(url, accountId)).join() === `${half},${half}`, 120_000);
  await stop();
  await sleep(SECONDS * 500);
  expect(await callOnce(target(refused), false)).toMatchObject({ status: 503, error: "unavailable" });
  await sleep(SECONDS * 500);
  expect(await waiting()).toBeGreaterThan(0);
  await start();
  await sleep(3_000);
  const results = await traffic.stop();
  expect(results.filter(({ isWhole }) => !isWhole)).toEqual([]);
  await until(async () => (await waiting()) === 0, 60_000);
  expect(await checkLedger(url, accountId, results)).toBeGreaterThan((SECONDS * CALLS_A_SECOND) / 4);
  expect(await callOnce(target(refused), false)).toMatchObject({ status: 200 });
});
