/** Region A is cut off and lives on: the standby is promoted, and A's primary is stopped only later. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import {
  checkLedger,
  DECIDED_AFTER_MS,
  missingOf,
  paid,
  recoverInB,
  type Setup,
  sellInBoth,
  untilPaidAgain,
} from "@/tests/support/region-failover";
import { inSeconds, printTable } from "@/tests/support/region-tables";
import { startRegions } from "@/tests/support/regions";
import { until } from "@/tests/support/until";

const setups: Setup[] = [
  { replication: "asynchronous", charges: "file", allowance: "0" },
  { replication: "synchronous", charges: "file", allowance: "0" },
  { replication: "synchronous", charges: "database", allowance: "0" },
];

const rows: string[][] = [];
afterAll(() => {
  const sold = ["A's calls sold while cut off", "A's charges missing at first", "missing in the end"];
  printTable(["standby", "`CHARGES`", ...sold, "B without a paid answer"], rows);
});

test.each(setups)(
  "region A is cut off and sells on: $replication standby, CHARGES=$charges",
  async (setup) => {
    const { replication, charges } = setup;
    const regions = await startRegions();
    onTestFinished(() => regions.close());
    const { customers, traffic } = await sellInBoth(regions, setup);
    const cutAt = performance.now();
    regions.cutOff();
    await sleep(DECIDED_AFTER_MS);
    const promotedAt = performance.now();
    await regions.promote();
    const seen = await recoverInB(traffic.b, { cutAt, promotedAt });

    // Only now A's primary is stopped. Its gateways find B's.
    const first = await missingOf(regions, customers.a.accountId, traffic.a.seen);
    const stoppedAt = performance.now();
    await regions.killPrimary();
    regions.mend();
    await untilPaidAgain(traffic.a, stoppedAt);
    const inA = await traffic.a.stop();
    const missing = async () => await missingOf(regions, customers.a.accountId, inA);
    await until(async () => (await missing()).length === 0, 60_000).catch(() => {});
    const [lostInA, lostInB] = [
      await missing(),
      await missingOf(regions, customers.b.accountId, seen.results),
    ];
    const meanwhile = paid(inA).filter(({ beganAt, ms }) => beganAt > cutAt && beganAt + ms < stoppedAt);
    rows.push([
      ...[replication, `\`${charges}\``],
      ...[meanwhile.length, first.length, lostInA.length].map(String),
      inSeconds(seen.gapMs),
    ]);
    console.log(rows.at(-1)?.join(" | "));

    expect([lostInA, lostInB]).toEqual([[], []]);
    await regions.stop("a");
    await checkLedger(regions, customers);
  },
);
