import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import type { PriceName } from "@/server/pricing";
import { pricesIn, sheetOf } from "@/tests/support/price-sheet";
import { pricedAt } from "./model-prices";
import { withCells } from "./price-cells";

const chat = { id: "m", kind: "chat" as const, prices: sheetOf({ input: 2n, output: 4n }) };
const cell = (name: PriceName, price: bigint | null, shownPrice?: bigint | null) => ({
  modelId: "m",
  name,
  price: price === null ? null : nanos(price),
  ...(shownPrice !== undefined && { seen: shownPrice === null ? null : nanos(shownPrice) }),
});

test("only the named prices change, null removes a price, and 0 removes the price of input", () => {
  expect(pricesIn(withCells(chat, [cell("cache_read", 1n), cell("output", 5n)]))).toEqual({
    input: 2n,
    output: 5n,
    cache_read: 1n,
  });
  expect(pricesIn(withCells(chat, [cell("input", 0n), cell("output", null)]))).toEqual({});
});

describe("a price that another person has changed meanwhile is not overwritten", () => {
  test.each([
    ["another price", cell("input", 3n, 1n)],
    ["a price in place of none", cell("input", 3n, null)],
    ["none in place of a price", cell("cache_read", 3n, 1n)],
  ])("%s", (_what, changed) => {
    expect(() => withCells(chat, [changed])).toThrowError(
      expect.objectContaining({ reason: "priceChanged" }),
    );
  });
  test("but a price is overwritten if it is the one that was seen", () => {
    const changed = withCells(chat, [cell("input", 3n, 2n), cell("request", 1n, null)]);
    expect(pricesIn(changed)).toMatchObject({ input: 3n });
    const fresh = withCells({ ...chat, prices: sheetOf({}) }, [cell("input", 3n, 0n)]);
    expect(pricesIn(fresh)).toEqual({ input: 3n });
  });
});

test("a video is sold by its combination, and other models are not", () => {
  const refused = expect.objectContaining({ reason: "priceNameOfOtherKind" });
  expect(() => withCells(chat, [cell("video:5:720p", 1n)])).toThrowError(refused);
  expect(() => withCells({ ...chat, kind: "video" }, [cell("input", 1n)])).toThrowError(refused);
});

test("a model has at most 200 prices with conditions, even if they are entered in several changes", () => {
  const steps = (from: number, count: number) =>
    Array.from({ length: count }, (_, step) => cell(`input@${from + step}k`, 1n));
  const full = { ...chat, prices: withCells(chat, steps(1, 200)) };
  expect(() => withCells(full, steps(201, 1))).toThrowError(
    expect.objectContaining({ reason: "conditionalPricesTooMany" }),
  );
  expect(withCells(full, [cell("input@1k", null), ...steps(201, 1)]).size).toBe(202);
});

test("of several planned prices the last one that has begun holds, to the millisecond", () => {
  const written = [{ id: "m", isFree: false, prices: sheetOf({ input: 1n }) }];
  const toCome = [10, 20].map((ms) => {
    return { modelId: "m", beginsAt: new Date(ms), prices: sheetOf({ input: BigInt(ms) }), isFree: false };
  });
  const at = (ms: number) => pricedAt(written, toCome, new Date(ms))[0]?.prices.get("input");
  expect([9, 10, 19, 20, 99].map(at)).toEqual([1n, 10n, 10n, 20n, 20n]);
});
