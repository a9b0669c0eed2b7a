import { expect, test } from "vitest";
import { sheetOf } from "@/tests/support/price-sheet";
import { type PaidPrices, priceRows } from "./price-rows";

const listed = sheetOf({ input: 10n, output: 0n, cache_read: 1n });

test("a model has a row for each price of its kind, and for each price that only the list or a channel has", () => {
  const paid = [{ channel: "a", prices: sheetOf({ request: 3n }) }];
  const rows = priceRows({ kind: "chat", prices: sheetOf({ input: 12n }) }, { listed, paid });
  expect(rows).toEqual([
    { name: "input", price: 12n, list: 10n, cost: null },
    { name: "output", price: null, list: null, cost: null },
    { name: "cache_read", price: null, list: 1n, cost: null },
    { name: "request", price: null, list: null, cost: { price: 3n, channel: "a" } },
  ]);
});

test("the cost is that of the dearest channel, and a class of tokens without a price costs as much as the class that it follows", () => {
  const paid: PaidPrices[] = [
    { channel: "cheap", prices: sheetOf({ input: 4n }) },
    { channel: "dear", prices: sheetOf({ input: 6n, cache_read: 2n }) },
  ];
  const rows = priceRows(
    { kind: "chat", prices: sheetOf({ input: 5n, cache_read: 1n }) },
    { listed: null, paid },
  );
  expect(rows.map(({ name, cost }) => [name, cost])).toEqual([
    ["input", { price: 6n, channel: "dear" }],
    ["output", null],
    ["cache_read", { price: 4n, channel: "cheap" }],
  ]);
});

test("a video has only prices of videos", () => {
  const paid = [{ channel: "a", prices: sheetOf({ input: 1n, "video:5:720p": 7n }) }];
  expect(priceRows({ kind: "video", prices: sheetOf({}) }, { listed: null, paid })).toEqual([
    { name: "video:5:720p", price: null, list: null, cost: { price: 7n, channel: "a" } },
  ]);
});

test("a step has its own row, and a channel without the step costs its usual price there", () => {
  const paid = [{ channel: "a", prices: sheetOf({ input: 3n, "output@200k": 7n }) }];
  const prices = sheetOf({ input: 4n, output: 5n, "input@200k": 6n });
  expect(priceRows({ kind: "chat", prices }, { listed: null, paid })).toEqual([
    { name: "input", price: 4n, list: null, cost: { price: 3n, channel: "a" } },
    { name: "input@200k", price: 6n, list: null, cost: { price: 3n, channel: "a" } },
    { name: "output", price: 5n, list: null, cost: null },
    { name: "output@200k", price: null, list: null, cost: { price: 7n, channel: "a" } },
  ]);
});
