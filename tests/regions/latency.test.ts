/**
 * The time that Tollgate adds to a call in each region. The upstream answers at once, so the whole time is Tollgate's.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { startRedis } from "@/tests/support/redis";
import { inMs, percentile, printTable } from "@/tests/support/region-tables";
import { type Region, ROUND_TRIP_MS, startRegions } from "@/tests/support/regions";
import { callOnce } from "@/tests/support/traffic";
import { until } from "@/tests/support/until";

const FIRST_CALLS = 5;
const LONE_CALLS = 12;
/** Fewer than eight calls in two seconds, from which on money is set aside in advance. */
const LONE_EVERY_MS = 450;
const BUSY_MS = 8_000;
/** With one client a call that waits for two commits of 80 ms each comes too rarely for its key to count as busy. */
const BUSY_CLIENTS = 4;

const regions = perFile(startRegions);
const rows: string[][] = [];
afterAll(() => {
  const figures = [
    "an account's first call of the month",
    "a key's first call",
    "a lone call",
    "a busy key's calls",
    "95 of 100 below",
    "above 80 ms",
  ];
  printTable(["commits wait for", "`CHARGES`", "region", ...figures], rows);
});

type Target = Parameters<typeof callOnce>[0];

async function timeOf(target: Target): Promise<number> {
  const { isWhole, ms, error } = await callOnce(target, false);
  expect({ isWhole, error }).toEqual({ isWhole: true, error: null });
  return ms;
}

/** Clients that make one call after the other. Until the key counts as busy its calls are lone ones, which are left out. */
async function keepBusy(target: Target): Promise<number[]> {
  const times: number[] = [];
  const beganAt = performance.now();
  const client = async () => {
    while (performance.now() - beganAt < BUSY_MS) {
      times.push(await timeOf(target));
    }
  };
  await Promise.all(Array.from({ length: BUSY_CLIENTS }, client));
  return times.slice(40);
}

let serial = 0;

async function measureRegion(region: Region) {
  const target = (buyer: { secret: string }) => regions.target(region, buyer);
  const newCustomers = async (count: number) => {
    const made = Array.from({ length: count }, () => regions.customer(`${region}-${serial++}`));
    const customers = await Promise.all(made);
    const keys = await Promise.all(customers.map(({ accountId }) => regions.key(accountId)));
    // Notices of these changes reach the server first.
    await sleep(3_000);
    return customers.map((customer, index) => ({ customer, key: keys[index] ?? customer }));
  };
  const [opener, busyOne, ...others] = await newCustomers(2 + FIRST_CALLS);
  if (opener === undefined || busyOne === undefined) {
    throw new Error("no customers");
  }
  // The first call opens what a server opens once.
  await timeOf(target(opener.customer));
  const first: number[] = [];
  const firstOfKey: number[] = [];
  for (const { customer } of others) {
    first.push(await timeOf(target(customer)));
  }
  for (const { key } of others) {
    firstOfKey.push(await timeOf(target(key)));
  }
  const payer = target(busyOne.customer);
  await timeOf(payer);
  const lone: number[] = [];
  for (let call = 0; call < LONE_CALLS; call++) {
    await sleep(LONE_EVERY_MS);
    lone.push(await timeOf(payer));
  }
  return { first, firstOfKey, lone, busy: await keepBusy(payer) };
}

test.each([
  ["asynchronous", "file"],
  ["asynchronous", "database"],
  ["synchronous", "file"],
  ["synchronous", "database"],
] as const)(
  "with an %s standby and CHARGES=%s, a round trip is paid by calls that wait for the database, and by no other",
  async (replication, charges) => {
    await regions.replicate(replication);
    const medians = new Map<Region, number>();
    for (const region of ["a", "b"] as const) {
      await regions.start(region, { CHARGES: charges });
      const { first, firstOfKey, lone, busy } = await measureRegion(region);
      await until(async () => (await regions.waiting(region)) === 0, 60_000);
      await regions.stop(region);
      medians.set(region, percentile(busy, 0.5));
      const slow = busy.filter((ms) => ms > ROUND_TRIP_MS).length;
      rows.push([
        ...[replication === "synchronous" ? "the standby" : "none", `\`${charges}\``, region.toUpperCase()],
        ...[first, firstOfKey, lone, busy].map((times) => inMs(percentile(times, 0.5))),
        inMs(percentile(busy, 0.95)),
        `${slow} of ${busy.length}`,
      ]);
      console.log(rows.at(-1)?.join(" | "));
    }
    const [inA = 0, inB = 0] = [medians.get("a"), medians.get("b")];
    if (charges === "file") {
      expect(inB - inA).toBeLessThan(ROUND_TRIP_MS);
    } else {
      expect(inB).toBeGreaterThanOrEqual(ROUND_TRIP_MS);
    }
    expect(await regions.look("a", (ledger) => ledger.verify())).toEqual([]);
  },
);

test("a limit of calls a minute costs a busy key of region B a round trip, unless a Redis in that region counts", async () => {
  await regions.replicate("asynchronous");
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const { accountId } = await regions.customer("limited");
  const key = await regions.key(accountId, { requestsPerMinute: 100_000 });
  const medianWith = async (env: Record<string, string>) => {
    await regions.start("b", { CHARGES: "file", ...env });
    const median = percentile(await keepBusy(regions.target("b", key)), 0.5);
    await until(async () => (await regions.waiting("b")) === 0, 60_000);
    await regions.stop("b");
    return median;
  };
  const [withoutRedis, withRedis] = [await medianWith({}), await medianWith({ REDIS_URL: redis.url })];
  console.log(`a limited busy key in B: ${inMs(withoutRedis)}, with a Redis in B ${inMs(withRedis)}`);
  expect(withoutRedis).toBeGreaterThanOrEqual(ROUND_TRIP_MS);
  expect(withRedis).toBeLessThan(ROUND_TRIP_MS);
});
