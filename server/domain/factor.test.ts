import fc from "fast-check";
import { expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { markUp, parseFactor } from "./factor";

const price = (text: string) => parseMoney(text) ?? nanos(0n);
const factor = (text: string) => parseFactor(text) ?? 0n;

test.each([
  ["2.5", ["1.2"], "3"],
  ["0.15", ["1.2"], "0.18"],
  ["0.000000001", ["1.2"], "0.000000002"],
  ["3", ["1.2", "7.1"], "25.56"],
  ["3", ["0.5"], "1.5"],
])("%s times %j is %s, rounded up to a nano-unit", (listed, factors, sold) => {
  expect(markUp(price(listed), factors.map(factor), 1n)).toBe(price(sold));
});

test("a product is rounded up to the given number of decimals", () => {
  expect(markUp(price("0.15"), [factor("1.25")], 10_000_000n)).toBe(price("0.19"));
  expect(markUp(price("0.16"), [factor("1.25")], 10_000_000n)).toBe(price("0.2"));
});

test.each(["0", "-1", "1e3", "", "12345", "1.1234567", ".5", "NaN"])("%j is no factor", (text) => {
  expect(parseFactor(text)).toBeNull();
});

test("a product is never below the exact one, and less than a step above it", () => {
  const millionths = fc.bigInt({ min: 1n, max: 9_999_999_999n });
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 14n }),
      millionths,
      fc.constantFrom(1n, 10n ** 7n),
      (amount, by, step) => {
        const sold = markUp(nanos(amount), [by], step);
        expect(sold % step).toBe(0n);
        expect(sold * 1_000_000n).toBeGreaterThanOrEqual(amount * by);
        expect((sold - step) * 1_000_000n).toBeLessThan(amount * by || 1n);
      },
    ),
  );
});
