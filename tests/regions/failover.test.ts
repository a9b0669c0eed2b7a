/** Region A is gone from one moment to the next, and region B's standby is promoted. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import {
  bringBackA,
  checkLedger,
  DECIDED_AFTER_MS,
  missingOf,
  recoverInB,
  type Setup,
  sellInBoth,
} from "@/tests/support/region-failover";
import { inSeconds, printTable } from "@/tests/support/region-tables";
import { startRegions } from "@/tests/support/regions";
import { until } from "@/tests/support/until";

const setups: Setup[] = [
  { replication: "asynchronous", charges: "database", allowance: "0" },
  { replication: "asynchronous", charges: "file", allowance: "0" },
  { replication: "asynchronous", charges: "file", allowance: "50" },
  { replication: "synchronous", charges: "database", allowance: "0" },
  { replication: "synchronous", charges: "file", allowance: "0" },
  { replication: "synchronous", charges: "file", allowance: "50" },
];

const rows: string[][] = [];
afterAll(() => {
  const lost = ["A's charges lost", "when A's disk is back", "B's charges lost"];
  const sold = ["refused in B", "sold in B before the promotion", "B without a paid answer", "slowest"];
  printTable(["standby", "`CHARGES`", "allowance", ...lost, ...sold], rows);
});

test.each(setups)(
  "region A is gone: $replication standby, CHARGES=$charges, allowance $allowance",
  async (setup) => {
    const { replication, charges, allowance } = setup;
    const regions = await startRegions();
    onTestFinished(() => regions.close());
    const { customers, traffic } = await sellInBoth(regions, setup);
    const cutAt = performance.now();
    regions.cutOff();
    await regions.killA();
    await sleep(DECIDED_AFTER_MS);
    const promotedAt = performance.now();
    await regions.promote();
    const [seen, inA] = [await recoverInB(traffic.b, { cutAt, promotedAt }), await traffic.a.stop()];

    // B's gateways live on, so they charge again what the standby had not received.
    const missingInB = () => missingOf(regions, customers.b.accountId, seen.results);
    await until(async () => (await missingInB()).length === 0, 60_000).catch(() => {});
    const [lostInB, lostInA] = [await missingInB(), await missingOf(regions, customers.a.accountId, inA)];
    await bringBackA(regions, setup);
    const lostForGood = await missingOf(regions, customers.a.accountId, inA);
    rows.push([
      ...[replication, `\`${charges}\``, allowance],
      ...[lostInA, lostForGood, lostInB].map(({ length }) => String(length)),
      ...[seen.refused.length, seen.meanwhile].map(String),
      ...[inSeconds(seen.gapMs), inSeconds(seen.slowestMs)],
    ]);
    console.log(rows.at(-1)?.join(" | "));

    expect(lostInB).toEqual([]);
    if (replication === "synchronous") {
      expect(lostForGood).toEqual([]);
    }
    if (replication === "synchronous" && charges === "database") {
      expect(lostInA).toEqual([]);
    }
    if (allowance !== "0") {
      expect(seen.meanwhile).toBeGreaterThan(0);
      expect(seen.refused).toEqual([]);
    }
    await regions.stop("a");
    await checkLedger(regions, customers);
  },
);
