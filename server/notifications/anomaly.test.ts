import { expect, test } from "vitest";
import { anomalyOf } from "./anomaly";

const week = [10n, 12n, 9n, 11n, 10n, 0n, 1n];

test.each([
  ["four times the usual day", { spent: 45n, before: week, money: 300n }, { usual: 10n }],
  ["a usual day", { spent: 12n, before: week, money: 300n }, null],
  ["twice the usual day", { spent: 20n, before: week, money: 300n }, null],
  [
    "much, where days differ as much",
    { spent: 45n, before: [1n, 40n, 2n, 30n, 10n, 20n, 5n], money: 300n },
    null,
  ],
  [
    "much, where one earlier day was a peak",
    { spent: 45n, before: [...week, 500n], money: 300n },
    { usual: 10n },
  ],
  [
    "far above the usual, and little of the month's money",
    { spent: 45n, before: week, money: 10_000n },
    null,
  ],
  [
    "the first use after days without any",
    { spent: 45n, before: Array(7).fill(0n), money: 300n },
    { usual: 0n },
  ],
  ["much in an account's first week", { spent: 45n, before: week.slice(1), money: 300n }, null],
])("%s", (_what, days, anomaly) => {
  expect(anomalyOf(days)).toEqual(anomaly);
});
