import { expect, test } from "vitest";
import { parseMoney } from "@/server/base/money";
import { isPriceName } from "@/server/pricing";
import { pricesIn } from "@/tests/support/price-sheet";
import { listPricesOf } from "./list-prices";
import lists from "./list-prices.json" with { type: "json" };

const openai = { vendor: "openai", baseUrl: "https://api.openai.com/v1", currency: "USD" } as const;
const dashscope = {
  vendor: "dashscope",
  baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
  currency: "CNY",
} as const;

test("a listed model has its vendor's prices, and other prices are inherited", () => {
  expect(pricesIn(listPricesOf(openai, "gpt-4.1"))).toEqual({
    ...{ input: 2_000_000_000n, output: 8_000_000_000n, cache_read: 500_000_000n },
  });
});

test("a model with a price by the length of the prompt has its steps", () => {
  expect(pricesIn(listPricesOf({ ...openai, vendor: "anthropic" }, "claude-sonnet-4-5"))).toMatchObject({
    ...{ input: 3_000_000_000n, "input@200k": 6_000_000_000n },
    ...{ output: 15_000_000_000n, "output@200k": 22_500_000_000n },
  });
});

test("each price in a list has a valid name and amount", () => {
  const rows = Object.values(lists).flatMap(({ models }) => Object.values(models));
  const prices = rows.flatMap((row) => Object.entries(row as Record<string, string>));
  expect(prices.filter(([name, price]) => !isPriceName(name) || parseMoney(price) === null)).toEqual([]);
});

test("a dated snapshot has the prices of its model, unless it is listed itself", () => {
  expect(listPricesOf(openai, "gpt-4o-2024-08-06")).toEqual(listPricesOf(openai, "gpt-4o"));
  expect(listPricesOf(openai, "gpt-4o-2024-05-13")?.get("input")).toBe(5_000_000_000n);
  const anthropic = { ...openai, vendor: "anthropic" } as const;
  expect(listPricesOf(anthropic, "claude-haiku-4-5-20251001")?.get("cache_write_1h")).toBe(2_000_000_000n);
});

test("a list price does not apply in another currency or in another region", () => {
  expect(listPricesOf({ ...openai, currency: "CNY" }, "gpt-4.1")).toBeNull();
  expect(listPricesOf(dashscope, "text-embedding-v4")?.get("input")).toBe(500_000_000n);
  const abroad = { ...dashscope, baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1" };
  expect(listPricesOf(abroad, "text-embedding-v4")).toBeNull();
});

test("an unknown model has no list prices, whatever its name is", () => {
  expect(["gpt-99", "constructor", "__proto__"].map((id) => listPricesOf(openai, id))).toEqual([
    null,
    null,
    null,
  ]);
});

test.each(Object.entries(lists))("the list of %s names the source and the date of its prices", (_, list) => {
  expect(list).toMatchObject({
    source: expect.stringMatching(/\S/),
    date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    currency: expect.stringMatching(/^[A-Z]{3}$/),
  });
});
