import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { pricedAt } from "./model-prices";
import { withCells } from "./price-cells";
import { areSameSheets, enteredOf, sheetOf } from "./price-sheet";

const chat = { id: "m", kind: "chat" as const, prices: { input: nanos(2n), output: nanos(4n) } };
const cell = (name: string, price: bigint | null, shownPrice?: bigint | null) => ({
  modelId: "m",
  name,
  price: price === null ? null : nanos(price),
  ...(shownPrice !== undefined && { seen: shownPrice === null ? null : nanos(shownPrice) }),
});

test("only what is named changes; none of its own is taken away, and 0 of input is none", () => {
  expect(withCells(chat, [cell("cache_read", 1n), cell("output", 5n)])).toEqual({
    input: 2n,
    output: 5n,
    cache_read: 1n,
  });
  expect(withCells(chat, [cell("input", 0n), cell("output", null)])).toEqual({});
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
    expect(withCells(chat, [cell("input", 3n, 2n), cell("request", 1n, null)])).toMatchObject({ input: 3n });
    expect(withCells({ ...chat, prices: {} }, [cell("input", 3n, 0n)])).toEqual({ input: 3n });
  });
});

test("a video is sold by its combination and nothing else is", () => {
  const refused = expect.objectContaining({ reason: "priceNameOfOtherKind" });
  expect(() => withCells(chat, [cell("video:5:720p", 1n)])).toThrowError(refused);
  expect(() => withCells({ ...chat, kind: "video" }, [cell("input", 1n)])).toThrowError(refused);
});

test("a sheet is all that was entered, in whichever order", () => {
  const entered = {
    ...{ inputPrice: nanos(1n), outputPrice: nanos(0n), cacheReadPrice: null },
    ...{ cacheWritePrice: nanos(0n), cacheWrite1hPrice: nanos(3n) },
    unitPrices: [
      { unit: "image:1024x1024", price: nanos(5n) },
      { unit: "web_search", price: nanos(6n) },
    ],
    videoPrices: [
      { durationSeconds: 5, resolution: "720p", price: nanos(7n) },
      { durationSeconds: 10, resolution: "480p", price: nanos(8n) },
    ],
  };
  expect(enteredOf(sheetOf(entered))).toEqual(entered);
  expect(areSameSheets(sheetOf(entered), { ...sheetOf(entered), input: nanos(2n) })).toBe(false);
});

test("of prices to come the last that has begun holds, to the millisecond", () => {
  const written = [{ id: "m", isFree: false, ...enteredOf({ input: nanos(1n) }) }];
  const toCome = [10, 20].map((ms) => {
    return { modelId: "m", beginsAt: new Date(ms), prices: { input: nanos(BigInt(ms)) }, isFree: false };
  });
  const at = (ms: number) => pricedAt(written, toCome, new Date(ms))[0]?.inputPrice;
  expect([9, 10, 19, 20, 99].map(at)).toEqual([1n, 10n, 10n, 20n, 20n]);
});
