import { expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { fromStripe, stepOf, toStripe } from "./stripe-amounts";

const amount = (text: string) => parseMoney(text) ?? nanos(0n);

test.each([
  ["12.5", "CNY", 1_250],
  ["0.01", "USD", 1],
  ["500", "JPY", 500],
  ["5.25", "KWD", 5_250],
  ["5", "UGX", 500],
])("%s %s is %i at Stripe, and the same amount again", (text, currency, counted) => {
  expect(toStripe(amount(text), currency)).toBe(counted);
  expect(fromStripe(counted, currency.toLowerCase())).toBe(amount(text));
});

test.each([
  ["0.005", "CNY"],
  ["1.5", "JPY"],
  ["1.001", "KWD"],
  ["1.5", "ISK"],
  ["1000000", "CNY"],
])("%s %s is no amount at Stripe, and is never rounded", (text, currency) => {
  expect(() => toStripe(amount(text), currency)).toThrow(/no amount/);
});

test("a missing or fractional amount of Stripe's is no amount", () => {
  expect([fromStripe(null, "cny"), fromStripe(1, null), fromStripe(0.5, "cny")]).toEqual([null, null, null]);
  expect(stepOf("CNY")).toBe(10_000_000n);
});
