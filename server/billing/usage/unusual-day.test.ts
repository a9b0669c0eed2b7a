import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { findUnusualDay } from "./unusual-day";

/** Days in November from the first; the 1st of November 2026 is a Sunday. */
const daysOf = (amounts: number[]) =>
  amounts.map((amount, place) => ({
    day: `2026-11-${String(place + 1).padStart(2, "0")}`,
    amount: nanos(BigInt(amount)),
  }));
const weeks = (amounts: number[], count: number) => Array.from({ length: count }, () => amounts).flat();

test("a day of twenty times the median of the days before is unusual, with the exact multiple", () => {
  const days = daysOf([...weeks([90, 100, 110, 100, 95, 105, 100], 3), 2_011]);
  expect(findUnusualDay(days, 1)).toEqual({
    ...{ day: "2026-11-22", amount: 2_011n, usual: 100n, times: 20.1 },
  });
});

test("three times the usual is not unusual, and more is, unless days differ that much", () => {
  const even = weeks([100], 14);
  expect(findUnusualDay(daysOf([...even, 300]), 1)).toBeNull();
  expect(findUnusualDay(daysOf([...even, 301]), 1)).toMatchObject({ times: 3 });
  const uneven = weeks([20, 180, 100], 5);
  expect(findUnusualDay(daysOf([...uneven, 700]), 1)).toBeNull();
  expect(findUnusualDay(daysOf([...uneven, 900]), 1)).toMatchObject({ usual: 100n, times: 9 });
});

test("a weekly batch is usual on its weekday and unusual on another day", () => {
  const batches = weeks([5_000, 100, 100, 100, 100, 100, 100], 3);
  expect(findUnusualDay(daysOf([...batches, 5_000]), 1)).toBeNull();
  expect(findUnusualDay(daysOf([...batches, 5_000, 5_000]), 1)).toMatchObject({
    day: "2026-11-23",
    usual: 100n,
  });
});

test("a day after idle weekends is compared with all days, and idle days before the first charge do not count", () => {
  const working = [0, 100, 100, 100, 100, 100, 0];
  expect(findUnusualDay(daysOf([...weeks(working, 3), 2_000]), 1)).toMatchObject({ usual: 100n });
  expect(findUnusualDay(daysOf([...weeks([0], 20), ...weeks([100], 6), 2_000]), 1)).toBeNull();
  expect(findUnusualDay(daysOf([...weeks([0], 13), ...weeks([100], 7), 2_000]), 1)).not.toBeNull();
});

test("who usually spends nothing is surprised only by far more than ever before", () => {
  const rare = [400, ...weeks([0], 9), 500, ...weeks([0], 9)];
  expect(findUnusualDay(daysOf([...rare, 500]), 1)).toBeNull();
  expect(findUnusualDay(daysOf([...rare, 1_501]), 1)).toMatchObject({ usual: 0n, times: null });
});

test("the last unusual one of the shown days is found, and none before them", () => {
  const days = daysOf([...weeks([100], 10), 4_000, 100, 900, 100, 100]);
  expect(findUnusualDay(days, 5)).toMatchObject({ day: "2026-11-13", times: 9 });
  expect(findUnusualDay(days.slice(0, 12), 2)).toMatchObject({ day: "2026-11-11", times: 40 });
  expect(findUnusualDay(days, 2)).toBeNull();
  expect([findUnusualDay([], 3), findUnusualDay(daysOf([0, 0]), 9)]).toEqual([null, null]);
});
