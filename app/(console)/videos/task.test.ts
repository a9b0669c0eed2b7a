import { expect, test } from "vitest";
import { clockText, elapsedMs, timeLeftMs } from "./task";

const now = Date.parse("2026-05-01T00:05:00Z");

test("a running task's time counts up to now, and an ended task's to its end", () => {
  const createdAt = "2026-05-01T00:00:00Z";
  expect(elapsedMs({ createdAt, endedAt: null }, now)).toBe(300_000);
  expect(elapsedMs({ createdAt, endedAt: "2026-05-01T00:01:00Z" }, now)).toBe(60_000);
});

test("after the deadline the time left is zero, and not negative", () => {
  expect(timeLeftMs({ deadlineAt: "2026-05-01T00:10:00Z" }, now)).toBe(300_000);
  expect(timeLeftMs({ deadlineAt: "2026-05-01T00:04:00Z" }, now)).toBe(0);
});

test("seconds are shown with two digits", () => {
  expect([0, 5_000, 65_400, 600_000].map(clockText)).toEqual(["0:00", "0:05", "1:05", "10:00"]);
});
