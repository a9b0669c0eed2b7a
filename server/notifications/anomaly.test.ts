import { expect, test } from "vitest";
import { anomalyOf } from "./anomaly";

const week = [10n, 12n, 9n, 11n, 10n, 0n, 1n];

test.each<[string, spent: bigint, before: bigint[], money: bigint, usual?: bigint]>([
  ["four times the usual day is an anomaly", 45n, week, 300n, 10n],
  ["a usual day is none", 12n, week, 300n],
  ["twice the usual day is none", 20n, week, 300n],
  ["a high day is none if earlier days differ as much", 45n, [1n, 40n, 2n, 30n, 10n, 20n, 5n], 300n],
  ["a high day is an anomaly even if one earlier day was a peak", 45n, [...week, 500n], 300n, 10n],
  ["a high day is none if it is little of the month's money", 45n, week, 10_000n],
  ["the first use after days without any is an anomaly", 45n, Array(7).fill(0n), 300n, 0n],
  ["a high day in an account's first week is none", 45n, week.slice(1), 300n],
])("%s", (...[, spent, before, money, usual]) => {
  expect(anomalyOf({ spent, before, money })).toEqual(usual === undefined ? null : { usual });
});
