import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { pricesIn, sheetOf } from "@/tests/support/price-sheet";
import { fieldsOf, withFields } from "./fields";
import { areSameSheets, emptySheet } from "./sheet";

test("a sheet has all entered prices, in any order", () => {
  const entered = {
    ...{ inputPrice: nanos(1n), outputPrice: nanos(2n), cacheReadPrice: null },
    ...{ cacheWritePrice: nanos(0n), cacheWrite1hPrice: nanos(3n) },
    unitPrices: [
      { unit: "image:1024x1024", price: nanos(5n) },
      { unit: "web_search", price: nanos(6n) },
    ],
    videoPrices: [
      { durationSeconds: 5, resolution: "720p", price: nanos(7n) },
      { durationSeconds: 10, resolution: "480p", price: nanos(8n) },
    ],
    conditionalPrices: [{ name: "input@200k" as const, price: nanos(9n) }],
  };
  expect(fieldsOf(withFields(emptySheet, entered))).toEqual(entered);
});

test("a member changes only its own price, null and 0 of input remove it, and prices with conditions stay", () => {
  const before = sheetOf({ input: 1n, cache_read: 2n, "input@200k": 3n, request: 4n, image: 5n });
  const changed = withFields(before, {
    ...{ inputPrice: nanos(0n), cacheReadPrice: null },
    unitPrices: [{ unit: "image", price: nanos(6n) }],
  });
  expect(pricesIn(changed)).toEqual({ "input@200k": 3n, image: 6n });
  expect(areSameSheets(withFields(before, {}), before)).toBe(true);
});
