import { expect, test } from "vitest";
import { madeUp } from "@/tests/support/made-up";
import type { CatalogModel } from "../catalog";
import { cellsOf, firstOfNextMonth, hasWrongPrice, markedUp, textOf, withText } from "./grid-draft";

const model: CatalogModel = {
  ...{ id: "m", kind: "chat", ownedBy: "us", isEnabled: true, isFree: false, maxOutputTokens: 1 },
  ...{ routing: "weight", hedgeAfterMs: null, videoPrices: [], unitPrices: [], oddities: [] },
  inputPrice: madeUp("1.5"),
  outputPrice: madeUp("3"),
  cacheReadPrice: madeUp("0.15"),
  cacheWritePrice: null,
  cacheWrite1hPrice: null,
};

test("what was not touched, or says the same in other words, is no change", () => {
  expect(cellsOf({}, [model])).toEqual([]);
  expect(cellsOf(withText({}, model, ["inputPrice", " 1.50 "]), [model])).toEqual([]);
});

test("each change says what was seen, and an emptied price of the cache is none of its own", () => {
  const draft = withText(withText({}, model, ["inputPrice", "2"]), model, ["cacheReadPrice", ""]);
  expect(cellsOf(draft, [model])).toEqual([
    { modelId: "m", name: "input", price: "2", seen: "1.5" },
    { modelId: "m", name: "cache_read", price: null, seen: "0.15" },
  ]);
});

test("all prices that there are are multiplied and rounded up; what is inherited stays so", () => {
  const draft = markedUp({}, [model], { factor: "1.2", decimals: 2 });
  expect(textOf(draft, model, "inputPrice")).toBe("1.8");
  expect(textOf(draft, model, "cacheReadPrice")).toBe("0.18");
  expect(textOf(draft, model, "cacheWritePrice")).toBe("");
  expect(markedUp({}, [model], { factor: "x", decimals: 2 })).toEqual({});
});

test("what is no price is found", () => {
  expect(hasWrongPrice(withText({}, model, ["inputPrice", "1,5"]))).toBe(true);
  expect(hasWrongPrice(withText({}, model, ["inputPrice", "1.5"]))).toBe(false);
});

test("the first of the next month is in the next year after December", () => {
  expect(firstOfNextMonth(new Date(2026, 10, 25))).toBe("2026-12-01T00:00");
  expect(firstOfNextMonth(new Date(2026, 11, 31))).toBe("2027-01-01T00:00");
});
