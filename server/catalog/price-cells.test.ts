import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import type { PriceName } from "@/server/pricing";
import { pricesIn, sheetOf } from "@/tests/support/sheet";
import { pricedAt } from "./model-prices";
import { withCells } from "./price-cells";

const chat = { id: "m", kind: "chat" as const, prices: sheetOf({ input: 2n, output: 4n }) };
const cell = (name: PriceName, price: bigint | null, shownPrice?: bigint | null) => ({
  modelId: "m",
  name,
  price: price === null ? null : nanos(price),
  ...(shownPrice !== undefined && { seen: shownPrice === null ? null : nanos(shownPrice) }),
});

test("only what is named changes; none of its own is taken away, and 0 of input is none", () => {
  expect(pricesIn(withCells(chat, [cell("cache_read", 1n), cell("output", 5n)]))).toEqual({
    input: 2n,
    output: 5n,
    cache_read: 1n,
  });
  expect(pricesIn(withCells(chat, [cell("input", 0n), cell("output", null)]))).toEqual({});
});

describe("a price that somebody else has changed meanwhile is not written over", () => {
  test.each([
    ["another", cell("input", 3n, 1n)],
    ["one where there was none", cell("input", 3n, null)],
    ["none where there was one", cell("cache_read", 3n, 1n)],
  ])("%s", (_what, changed) => {
    expect(() => withCells(chat, [changed])).toThrowError(
      expect.objectContaining({ reason: "priceChanged" }),
    );
  });
  test("but what was seen is", () => {
    const changed = withCells(chat, [cell("input", 3n, 2n), cell("request", 1n, null)]);
    expect(pricesIn(changed)).toMatchObject({ input: 3n });
    const fresh = withCells({ ...chat, prices: sheetOf({}) }, [cell("input", 3n, 0n)]);
    expect(pricesIn(fresh)).toEqual({ input: 3n });
  });
});

test("a video is sold by its combination and nothing else is", () => {
  const refused = expect.objectContaining({ reason: "priceNameOfOtherKind" });
  expect(() => withCells(chat, [cell("video:5:720p", 1n)])).toThrowError(refused);
  expect(() => withCells({ ...chat, kind: "video" }, [cell("input", 1n)])).toThrowError(refused);
});

test("a model has at most 200 prices with conditions, however many changes enter them", () => {
  const steps = (from: number, count: number) =>
    Array.from({ length: count }, (_, step) => cell(`input@${from + step}k`, 1n));
  const full = { ...chat, prices: withCells(chat, steps(1, 200)) };
  expect(() => withCells(full, steps(201, 1))).toThrowError(
    expect.objectContaining({ reason: "conditionalPricesTooMany" }),
  );
  expect(withCells(full, [cell("input@1k", null), ...steps(201, 1)]).size).toBe(202);
});

test("of prices to come the last that has begun holds, to the millisecond", () => {
  const written = [{ id: "m", isFree: false, prices: sheetOf({ input: 1n }) }];
  const toCome = [10, 20].map((ms) => {
    return { modelId: "m", beginsAt: new Date(ms), prices: sheetOf({ input: BigInt(ms) }), isFree: false };
  });
  const at = (ms: number) => pricedAt(written, toCome, new Date(ms))[0]?.prices.get("input");
  expect([9, 10, 19, 20, 99].map(at)).toEqual([1n, 10n, 10n, 20n, 20n]);
});
