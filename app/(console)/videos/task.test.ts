import { expect, test } from "vitest";
import { clockText, elapsedMs, timeLeftMs } from "./task";

const now = Date.parse("2026-05-01T00:05:00Z");

test("a running task counts up to now, and one that has ended to its end", () => {
  const createdAt = "2026-05-01T00:00:00Z";
  expect(elapsedMs({ createdAt, endedAt: null }, now)).toBe(300_000);
  expect(elapsedMs({ createdAt, endedAt: "2026-05-01T00:01:00Z" }, now)).toBe(60_000);
});

test("no time is left after the deadline, rather than less than none", () => {
  expect(timeLeftMs({ deadlineAt: "2026-05-01T00:10:00Z" }, now)).toBe(300_000);
  expect(timeLeftMs({ deadlineAt: "2026-05-01T00:04:00Z" }, now)).toBe(0);
});

test("seconds have two digits", () => {
  expect([0, 5_000, 65_400, 600_000].map(clockText)).toEqual(["0:00", "0:05", "1:05", "10:00"]);
});
