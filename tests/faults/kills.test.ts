import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { getBalance, topUp } from "@/server/billing";
import { isTransient } from "@/server/db";
import type { AccountId } from "@/server/domain/ids";
import { currentPeriod } from "@/server/domain/period";
import { startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { patientVendor, pause } from "@/tests/support/faults";
import { endsOf, expectLawful } from "@/tests/support/kills/laws";
import { planOf } from "@/tests/support/kills/plan";
import { strikesOn } from "@/tests/support/kills/strikes";
import { startTraffic } from "@/tests/support/kills/traffic";
import { answerBySize, stock } from "@/tests/support/kills/upstream";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import { startUpstream } from "@/tests/support/upstream";
import { startVideoSimulator } from "@/tests/support/video-simulator";

/** `npm run test:kills -- --kills 1000 --seed 7` sets the number and the seed. */
const KILLS = Number(process.env.KILLS ?? 18);
const SEED = Number(process.env.KILLS_SEED ?? process.env.TEST_SEED);
/** The laws are checked while no calls run, which takes a lease. */
const CHECK_EVERY = 100;
const TELL_EVERY = 25;
/** Enough for a few calls of the account that has spent its quota. */
const TOP_UP = nanos(200_000n);

const tell = (line: string) => void process.stdout.write(`kills: ${line}\n`);

const upstream = perFile(() => startUpstream(answerBySize));
const simulator = perFile(() => startVideoSimulator(patientVendor));
const gateway = perFile(() =>
  startEmbeddedGateway(upstream.baseUrl, {
    WEB_CONCURRENCY: "2",
    DRAIN_SECONDS: "5",
    VIDEO_POLL_SECONDS: "2",
    VIDEO_TIMEOUT_SECONDS: "20",
    VIDEO_RATE_LIMIT_PER_MINUTE: "100000",
  }),
);

const customersOf = async () => ({
  hot: await gateway.customer("hot", "100000"),
  cold: await gateway.customer("cold", "1000"),
  other: await gateway.customer("other", "1000"),
  edge: await gateway.customer("edge", "0.0003"),
  videos: await gateway.customer("videos", "100000"),
});

/** Tops the account up when almost nothing is left, if the database is there. */
async function giveALittle(accountId: AccountId): Promise<void> {
  const month = { accountId, period: currentPeriod("UTC", new Date()) };
  await gateway
    .withLedger(async ({ db }) => {
      if ((await getBalance(db, month)).available < TOP_UP) {
        await topUp(db, { ...month, amount: TOP_UP, reason: "to stay at the edge" });
      }
    })
    .catch((error: unknown) => {
      if (!isTransient(error)) {
        throw error;
      }
    });
  await pause(500);
}

const NAME =
  "kills of the server, of each of its processes and of PostgreSQL, in the order of a seed, lose no charge and no cent";

test(NAME, { timeout: 120_000 + KILLS * 30_000 }, async () => {
  await stock(gateway, { baseUrl: upstream.baseUrl, simulator });
  const customers = await customersOf();
  const { strike, orphans } = strikesOn(gateway);
  const traffic = startTraffic(gateway, customers, () => giveALittle(customers.edge.accountId));
  const counts: Record<string, number> = {};
  const count = (name: string, by = 1) => {
    counts[name] = (counts[name] ?? 0) + by;
  };

  const check = async () => {
    await traffic.stop();
    const ended = traffic.take();
    count("calls", ended.length);
    count("whole", ended.filter(({ isWhole }) => isWhole).length);
    count("cut", ended.filter(({ isWhole, status }) => status === 200 && !isWhole).length);
    count("refused for want of money", ended.filter(({ status }) => status === 402).length);
    counts.videos = traffic.orders.length;
    const edge = customers.edge.accountId;
    await expectLawful(gateway, { ended, orders: traffic.orders, edge, simulator });
    upstream.requests.length = 0;
  };

  let step = 0;
  try {
    for (const next of planOf(SEED, KILLS)) {
      step++;
      await pause(next.pauseMs);
      await strike(next);
      count(next.victim);
      if (step % TELL_EVERY === 0) {
        tell(`${step} of ${KILLS}, ${Math.round(performance.now() / 1_000)} s`);
      }
      if (step % CHECK_EVERY === 0 && step < KILLS) {
        await check();
        tell(`lawful; ${JSON.stringify(counts)}`);
        traffic.goOn();
      }
    }
    await check();
    await traffic.end();
    await until(() => orphans().length === 0, 60_000);
  } catch (error) {
    throw new Error(`seed ${SEED}, at kill ${step} of ${KILLS}; ${JSON.stringify(counts)}`, { cause: error });
  } finally {
    tell(`seed ${SEED}, ${step} kills; ${JSON.stringify(counts)}`);
  }
  tell(`entries: ${JSON.stringify(await endsOf(gateway))}`);
  const verdict = execFileSync(process.execPath, ["dist/tollgate.js", "ledger", "verify", "--json"], {
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", TOLLGATE_DATA_DIR: gateway.dataDir },
    encoding: "utf8",
  });
  expect(JSON.parse(verdict)).toEqual({ ok: true, drift: [] });
});
