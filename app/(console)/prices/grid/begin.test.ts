import { expect, test } from "vitest";
import { nextMonthInput } from "./begin";

/** The moment that the input's text is, wherever the test runs. */
const momentOf = (now: string, zone: string) => new Date(nextMonthInput(new Date(now), zone)).toISOString();

test.each([
  [
    "in the middle of a month",
    { now: "2026-11-25T12:00:00Z", zone: "Asia/Shanghai", begins: "2026-11-30T16:00:00.000Z" },
  ],
  ["in December", { now: "2026-12-31T10:00:00Z", zone: "UTC", begins: "2027-01-01T00:00:00.000Z" }],
  // A reader in Europe still has November then.
  [
    "once that has the next month",
    { now: "2026-11-30T17:00:00Z", zone: "Asia/Shanghai", begins: "2026-12-31T16:00:00.000Z" },
  ],
  // And one in Asia has December already.
  [
    "while that has the month before",
    { now: "2026-12-01T02:00:00Z", zone: "America/New_York", begins: "2026-12-01T05:00:00.000Z" },
  ],
])("the first of the next month is the billing zone's: %s", (_, { now, zone, begins }) => {
  expect(momentOf(now, zone)).toBe(begins);
});
