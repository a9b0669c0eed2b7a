import { expect, test } from "vitest";
import { branded } from "@/tests/support/branded";
import type { GridRow } from "../catalog";
import {
  cellsOf,
  changesOf,
  chargedBy,
  foreignOf,
  type GridDraft,
  hasWrongPrice,
  marginOf,
  markedUp,
  textOf,
  withText,
} from "./grid-draft";

const model: Pick<GridRow, "modelId" | "kind" | "ownedBy" | "isEnabled" | "isFree"> = {
  ...{ modelId: "m", kind: "chat", ownedBy: "us" },
  ...{ isEnabled: true, isFree: false },
};
const list: GridRow["list"] = {
  price: branded("1.01"),
  vendor: "openai",
  currency: "USD",
  date: "2026-09-23",
};
const input: GridRow = {
  ...model,
  ...{ name: "input", price: branded("1.5"), list, cost: { price: branded("1"), channel: "a" } },
};
const cacheRead: GridRow = { ...model, name: "cache_read", price: branded("0.15"), list: null, cost: null };
const cacheWrite: GridRow = { ...model, name: "cache_write", price: null, list: null, cost: null };
const rows = [input, cacheRead, cacheWrite];
const none: GridDraft = new Map();
const terms = { basis: "list", factor: "1.2", rates: {}, decimals: 2, own: "USD" } as const;
const cells = (draft: GridDraft) => cellsOf(changesOf(draft, rows));

test("an untouched price, or the same value in another form, is no change", () => {
  expect(cells(none)).toEqual([]);
  expect(cells(withText(none, input, " 1.50 "))).toEqual([]);
});

test("each change is sent with the price that was seen, and an emptied price of the cache as null", () => {
  const draft = withText(withText(none, input, "2"), cacheRead, "");
  expect(cells(draft)).toEqual([
    { modelId: "m", name: "input", price: "2", seen: "1.5" },
    { modelId: "m", name: "cache_read", price: null, seen: "0.15" },
  ]);
});

test("list prices times a factor are rounded up, and prices on no list stay", () => {
  const draft = markedUp(none, rows, terms);
  expect(rows.map((row) => textOf(draft, row))).toEqual(["1.22", "0.15", ""]);
  expect(markedUp(none, rows, { ...terms, factor: "x" })).toEqual(none);
});

test("a price can also be based on the cost or on the current price", () => {
  expect(textOf(markedUp(none, rows, { ...terms, basis: "cost" }), input)).toBe("1.20");
  expect(textOf(markedUp(none, rows, { ...terms, basis: "price" }), cacheRead)).toBe("0.18");
});

test("a list in another currency needs its rate, and is ignored without one", () => {
  const foreign = { ...terms, own: "CNY" };
  expect(foreignOf(rows, foreign)).toEqual(["USD"]);
  expect(foreignOf(rows, { basis: "cost", own: "CNY" })).toEqual([]);
  expect(markedUp(none, rows, foreign)).toEqual(none);
  expect(textOf(markedUp(none, rows, { ...foreign, rates: { USD: "7.2" } }), input)).toBe("8.73");
});

test("a text that is no price is found", () => {
  expect(hasWrongPrice(withText(none, input, "1,5"))).toBe(true);
  expect(hasWrongPrice(withText(none, input, "1.5"))).toBe(false);
});

test("a class without a price is charged like the class that it follows, also while its price is typed", () => {
  const charged = chargedBy(withText(none, input, "3"), rows);
  expect(rows.map(charged)).toEqual([3_000_000_000n, 150_000_000n, 3_000_000_000n]);
});

test("a sale is below cost if its price is lower than the channel's, and not if both are the same", () => {
  const marginAt = (text: string) => marginOf(input, chargedBy(withText(none, input, text), rows)(input));
  expect(marginAt("0.9")).toEqual({ amount: "-0.1", share: -0.1111, isBelowCost: true });
  expect(marginAt("1")).toEqual({ amount: "0", share: 0, isBelowCost: false });
  expect(marginAt("1.25")).toEqual({ amount: "0.25", share: 0.2, isBelowCost: false });
  expect(marginOf(cacheRead, 1n as never)).toBeNull();
});
