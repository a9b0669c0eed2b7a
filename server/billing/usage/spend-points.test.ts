import { expect, test } from "vitest";
import { pointsOf } from "./spend-points";

test("the last 24 hours end with the current hour", () => {
  const hours = pointsOf("hours", new Date("2026-03-01T08:59:59Z"), "Asia/Shanghai");
  expect(hours).toHaveLength(24);
  expect([hours[0], hours.at(-1)]).toEqual(["2026-02-28T09", "2026-03-01T08"]);
});

test("the last 30 days end with today in the billing zone, also if clocks were put forward", () => {
  const days = pointsOf("days", new Date("2026-03-31T22:30:00Z"), "Europe/Berlin");
  expect(days).toHaveLength(30);
  expect(new Set(days).size).toBe(30);
  expect([days[0], days.at(-1)]).toEqual(["2026-03-03", "2026-04-01"]);
});
