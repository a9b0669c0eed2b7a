import fc from "fast-check";
import { expect, test } from "vitest";
import { type Decimal, formatMoney, inDecimals, type Nanos, nanos, parseMoney } from "./money";

test.each([
  ["12.5", 12_500_000_000n],
  ["0.000000001", 1n],
  ["100", 100_000_000_000n],
  ["-1.5", -1_500_000_000n],
])("%s is %s nano-units", (text, amount) => {
  expect(parseMoney(text)).toBe(amount);
});

test.each(["", "1.", ".5", "1e3", "0.0000000001", "1,5", "NaN", "9999999999"])("%j is no amount", (text) => {
  expect(parseMoney(text)).toBeNull();
});

test("a formatted amount is exact, and not zero unless the amount is", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map(nanos), (amount) => {
      expect(parseMoney(formatMoney(amount))).toBe(amount);
    }),
  );
});

test("inDecimals turns every amount into a decimal, at every depth, and changes nothing else", () => {
  const createdAt = new Date(0);
  const inside = { name: "a", cap: null, createdAt, prices: [{ price: nanos(1_500_000_000n), seconds: 5 }] };
  const outside = { name: "a", cap: null, createdAt, prices: [{ price: "1.5", seconds: 5 }] };
  expect(inDecimals(inside)).toEqual(outside);
});

test("the compiler refuses a number or a text as money", () => {
  // @ts-expect-error: a number has no unit
  const amount: Nanos = 5n;
  // @ts-expect-error: a text that `formatMoney` did not make may be nano-units
  const text: Decimal = String(amount);
  // @ts-expect-error: nano-units are not a decimal
  const price: Decimal = nanos(amount);
  // @ts-expect-error: a plain bigint is not money, so it has no decimals
  const count: Decimal = inDecimals(amount * 2n);
  expect([text, price, count]).toHaveLength(3);
});
