import { expect, test } from "vitest";
import { todayAndAverage } from "./today-and-average";

const days = [
  { day: "2026-11-01", amount: "3" },
  { day: "2026-11-01", amount: "0.5" },
  { day: "2026-11-03", amount: "1" },
  { day: "2026-11-04", amount: "0.000000001" },
];

test("today is the sum of its models, and an average day counts the days without spend", () => {
  expect(todayAndAverage(days, "2026-11-04")).toEqual({ amount: "0.000000001", averageDay: "1.5" });
  expect(todayAndAverage(days, "2026-11-10")).toEqual({ amount: "0", averageDay: "0.5" });
});

test("the first of a month has an average of the days before", () => {
  const november = [
    { day: "2026-11-28", amount: "4" },
    { day: "2026-11-30", amount: "2" },
  ];
  expect(todayAndAverage(november, "2026-12-01")).toEqual({ amount: "0", averageDay: "2" });
});

test("the first days with charges have no average", () => {
  expect(todayAndAverage(days, "2026-11-03")).toEqual({ amount: "1", averageDay: null });
  expect(todayAndAverage([], "2026-12-01")).toEqual({ amount: "0", averageDay: null });
});
