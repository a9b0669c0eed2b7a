import fc from "fast-check";
import { expect, test } from "vitest";
import { formatMoney, parseMoney } from "./money";

test.each([
  ["12.5", 12_500_000_000n],
  ["0.000000001", 1n],
  ["100", 100_000_000_000n],
  ["-1.5", -1_500_000_000n],
])("%s is %s nano-units", (text, nanos) => {
  expect(parseMoney(text)).toBe(nanos);
});

test.each(["", "1.", ".5", "1e3", "0.0000000001", "1,5", "NaN", "9999999999"])("%j is no amount", (text) => {
  expect(parseMoney(text)).toBeNull();
});

test("formatting is exact and never a false zero", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), (nanos) => {
      expect(parseMoney(formatMoney(nanos))).toBe(nanos);
    }),
  );
});
