import { expect, test } from "vitest";
import { daysBetween, daysOfMonth, lastDays, type SpendDay, seriesOf } from "./spend-series";

const spend = (day: string, modelId: string, amount: string): SpendDay => ({
  ...{ day, modelId, amount },
  ...{ calls: 1, inputTokens: 10, outputTokens: 5 },
});

test("a chart has every day, also at the end of a month and on a leap day", () => {
  expect(daysBetween("2028-02-28", "2028-03-01")).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
  expect(daysBetween("2026-11-02", "2026-11-01")).toEqual([]);
});

test("the last 30 days reach into the month before, and a month has all of its days", () => {
  const days = lastDays("2026-12-01");
  expect([days.length, days[0], days.at(-1)]).toEqual([30, "2026-11-02", "2026-12-01"]);
  const december = daysOfMonth("2026-12");
  expect([december.length, december[0], december.at(-1)]).toEqual([31, "2026-12-01", "2026-12-31"]);
  expect(daysOfMonth("2028-02").at(-1)).toBe("2028-02-29");
});

test("a chart has a series for each of the greatest models and one for the others, and no amount is lost", () => {
  const days = daysBetween("2026-11-01", "2026-11-03");
  const all = [
    spend("2026-11-01", "small", "1"),
    spend("2026-11-01", "great", "5"),
    spend("2026-11-03", "great", "4"),
    spend("2026-11-03", "tiny", "0.5"),
  ];
  expect(seriesOf(all, { measure: "cost", days, maxModels: 1 })).toEqual({
    models: ["great"],
    hasOthers: true,
    rows: [
      { day: "2026-11-01", values: [5, 1] },
      { day: "2026-11-02", values: [0, 0] },
      { day: "2026-11-03", values: [4, 0.5] },
    ],
  });
});

test("tokens are the sum of both directions, and a few models need no series for others", () => {
  const days = daysBetween("2026-11-01", "2026-11-01");
  const { rows, hasOthers } = seriesOf([spend("2026-11-01", "gpt-4.1", "1")], {
    measure: "tokens",
    days,
    maxModels: 3,
  });
  expect(rows).toEqual([{ day: "2026-11-01", values: [15] }]);
  expect(hasOthers).toBe(false);
});
