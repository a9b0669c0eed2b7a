import { expect, test } from "vitest";
import { type Nanos, nanos } from "@/server/base/money";
import { type PaidPrices, priceRows } from "./price-rows";

const n = (figure: bigint): Nanos => nanos(figure);
const listed = {
  ...{ inputPrice: n(10n), outputPrice: n(0n), cacheReadPrice: n(1n), cacheWritePrice: null },
  cacheWrite1hPrice: null,
};

test("a model has a row for what it is sold by, priced or not, and for what only the list or a channel prices", () => {
  const paid = [{ channel: "a", prices: { request: n(3n) } }];
  const rows = priceRows({ kind: "chat", prices: { input: n(12n) } }, { listed, paid });
  expect(rows).toEqual([
    { name: "input", price: 12n, list: 10n, cost: null },
    { name: "output", price: null, list: null, cost: null },
    { name: "cache_read", price: null, list: 1n, cost: null },
    { name: "request", price: null, list: null, cost: { price: 3n, channel: "a" } },
  ]);
});

test("the cost is that of the channel that is paid most, and a class of tokens costs what it is a kind of does", () => {
  const paid: PaidPrices[] = [
    { channel: "cheap", prices: { input: n(4n) } },
    { channel: "dear", prices: { input: n(6n), cache_read: n(2n) } },
  ];
  const rows = priceRows(
    { kind: "chat", prices: { input: n(5n), cache_read: n(1n) } },
    { listed: null, paid },
  );
  expect(rows.map(({ name, cost }) => [name, cost])).toEqual([
    ["input", { price: 6n, channel: "dear" }],
    ["output", null],
    ["cache_read", { price: 4n, channel: "cheap" }],
  ]);
});

test("a video has prices of videos alone", () => {
  const paid = [{ channel: "a", prices: { input: n(1n), "video:5:720p": n(7n) } }];
  expect(priceRows({ kind: "video", prices: {} }, { listed: null, paid })).toEqual([
    { name: "video:5:720p", price: null, list: null, cost: { price: 7n, channel: "a" } },
  ]);
});
