import { expect, test } from "vitest";
import { nextMonthInput } from "./begin";

/** The input's moment, whatever the test's time zone. */
const momentOf = (now: string, zone: string) => new Date(nextMonthInput(new Date(now), zone)).toISOString();

test.each([
  ["in the middle of a month", "2026-11-25T12:00:00Z", "Asia/Shanghai", "2026-11-30T16:00:00.000Z"],
  ["in December", "2026-12-31T10:00:00Z", "UTC", "2027-01-01T00:00:00.000Z"],
  // For a reader in Europe it is still November.
  [
    "when that zone has the next month already",
    "2026-11-30T17:00:00Z",
    "Asia/Shanghai",
    "2026-12-31T16:00:00.000Z",
  ],
  // For a reader in Asia it is already December.
  [
    "when that zone still has the month before",
    "2026-12-01T02:00:00Z",
    "America/New_York",
    "2026-12-01T05:00:00.000Z",
  ],
])("the next month begins in the billing zone: %s", (...[, now, zone, begins]) => {
  expect(momentOf(now, zone)).toBe(begins);
});
