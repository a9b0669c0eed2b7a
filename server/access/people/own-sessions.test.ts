import { expect, test } from "vitest";
import { isToBeSeen, networkNear } from "./own-sessions";

test.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["::ffff:203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["nonsense", null],
  [null, null],
])("of the address %s only %s is stored", (address, network) => {
  expect(networkNear(address)).toBe(network);
});

test("the last use of a session is written if none was written in the last five minutes", () => {
  const now = new Date("2026-11-25T12:00:00Z");
  expect(isToBeSeen(null, now)).toBe(true);
  expect(isToBeSeen(new Date("2026-11-25T11:56:00Z"), now)).toBe(false);
  expect(isToBeSeen(new Date("2026-11-25T11:54:00Z"), now)).toBe(true);
});
