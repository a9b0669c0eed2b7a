/** A failover of region A to region B under traffic in both. Measures the lost charges, and the time without a sale. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import type { Region, Regions, Replication } from "./regions";
import { startTraffic, type TrafficResult } from "./traffic";
import { until } from "./until";

export type Setup = { replication: Replication; charges: "file" | "database"; allowance: string };

const CALLS_A_SECOND = 20;
const SETTLES_MS = 5_000;
/** So many round trips are many for any call. */
const QUICK_MS = 1_000;
/** From the cut until an operator, or Patroni, promotes the standby. */
export const DECIDED_AFTER_MS = 5_000;
/** So many calls in a row are paid again: two seconds of them. */
const WELL_CALLS = 40;
const SOON = 120_000;

type Customers = Record<Region, { accountId: AccountId; secret: string }>;

const environment = ({ charges, allowance }: Setup) => ({ CHARGES: charges, OUTAGE_ALLOWANCE: allowance });

/** Starts a server and a customer in each region, and calls of both until escrows and outage parts are there. */
export async function sellInBoth(regions: Regions, setup: Setup) {
  await regions.replicate(setup.replication);
  const customers: Customers = { a: await regions.customer("a"), b: await regions.customer("b") };
  const traffic = {} as Record<Region, ReturnType<typeof startTraffic>>;
  for (const region of ["a", "b"] as const) {
    await regions.start(region, environment(setup));
  }
  for (const region of ["a", "b"] as const) {
    traffic[region] = startTraffic(regions.target(region, customers[region]), CALLS_A_SECOND);
  }
  const parts = setup.allowance === "0" ? 0 : 2;
  await until(
    () => regions.look("a", async ({ db }) => (await sqlOf(db)`select from outage_parts`).length === parts),
    SOON,
  );
  // The first calls open the accounts' month, and escrows are granted to busy keys.
  await sleep(SETTLES_MS);
  await Promise.all([traffic.a, traffic.b].map((each) => untilPaidAgain(each, 0, QUICK_MS)));
  return { customers, traffic };
}

/** Calls with a whole answer, which the client has. */
export const paid = (results: TrafficResult[]): TrafficResult[] =>
  results.filter(({ isWhole, requestId }) => isWhole && requestId !== null);

/** Those of a region's answers that B's database has no charge for. */
export async function missingOf(regions: Regions, accountId: AccountId, results: TrafficResult[]) {
  const charged = await regions.look(
    "b",
    async ({ db }) =>
      new Set(
        (
          await sqlOf(db)<{ id: string }[]>`
            select id from ledger_entries where account_id = ${accountId} and kind = 'capture'`
        ).map(({ id }) => id),
      ),
  );
  return paid(results).filter(({ requestId }) => !charged.has(requestId ?? ""));
}

/** Waits until the money of dead processes is free again. Then every sum must agree with its entries. */
export async function checkLedger(regions: Regions, { a, b }: Customers): Promise<void> {
  await regions.look("b", async (ledger) => {
    const frozen = async () => (await ledger.months([a.accountId, b.accountId])).map((month) => month.frozen);
    await until(async () => (await frozen()).every((amount) => amount === 0n), SOON);
    expect(await ledger.verify()).toEqual([]);
    for (const { accountId } of [a, b]) {
      const [row] = await sqlOf(ledger.db)<{ used: string; entries: string }[]>`
        select used::text, (
          select coalesce(sum(amount), 0) from ledger_entries as entry
          where entry.account_id = month.account_id and kind = 'capture')::text as entries
        from account_months as month where account_id = ${accountId}`;
      expect(row?.used).toBe(row?.entries);
    }
  });
}

/** The longest time without a paid answer, from `since` on. */
function longestGap(results: TrafficResult[], since: number): number {
  const ends = paid(results)
    .map(({ beganAt, ms }) => beganAt + ms)
    .filter((end) => end > since)
    .toSorted((one, other) => one - other);
  return Math.max(...ends.map((end, index) => end - (ends[index - 1] ?? since)));
}

/**
 * Waits until the latest calls that began after `since` are paid, each within `withinMs`. Those before may still wait for
 * an answer.
 */
export const untilPaidAgain = (
  { seen }: ReturnType<typeof startTraffic>,
  since: number,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<void> =>
  until(() => {
    const latest = seen.filter(({ beganAt }) => beganAt > since).slice(-WELL_CALLS);
    return latest.length === WELL_CALLS && latest.every(({ isWhole, ms }) => isWhole && ms < withinMs);
  }, SOON);

/** Waits until calls of region B are well, and returns what its clients saw since the cut. */
export async function recoverInB(
  traffic: ReturnType<typeof startTraffic>,
  { cutAt, promotedAt }: { cutAt: number; promotedAt: number },
) {
  await untilPaidAgain(traffic, promotedAt);
  const results = await traffic.stop();
  const since = results.filter(({ beganAt, ms }) => beganAt + ms > cutAt);
  return {
    results,
    refused: since.filter(({ isWhole }) => !isWhole),
    /** Until the standby is promoted, calls are paid by what was granted in advance. */
    meanwhile: paid(since).filter(({ beganAt, ms }) => beganAt > cutAt && beganAt + ms < promotedAt).length,
    gapMs: longestGap(results, cutAt),
    slowestMs: Math.max(...since.map(({ ms }) => ms)),
  };
}

/** A's server again, with its disk and B's database: it settles the charges that its processes left. */
export async function bringBackA(regions: Regions, setup: Setup): Promise<void> {
  regions.mend();
  await regions.start("a", environment(setup));
  await until(async () => (await regions.waiting("a")) === 0, SOON);
}
