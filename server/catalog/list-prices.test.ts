import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseMoney } from "@/server/base/money";
import { findVendor, vendors } from "@/server/channels/vendors";
import { isPriceName } from "@/server/pricing";
import { pricesIn } from "@/tests/support/price-sheet";
import { findPriceList, listPricesOf, listVendors } from "./list-prices";
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

test.each(Object.entries(lists))(
  "the list of %s is a preset's, and each of its models costs something",
  (preset, list) => {
    expect(findVendor(preset)?.id).toBe(preset);
    const names = Object.keys(list.models);
    expect(names.length).toBeGreaterThan(0);
    const priceOf = (name: string) => findPriceList(preset)?.find(name)?.get("input") ?? 0n;
    expect(names.filter((name) => priceOf(name) <= 0n)).toEqual([]);
  },
);

// The figures are those of models.dev at the commit that the source names.
test.each([
  ["openrouter", "openai/gpt-5.1", { input: 1.25, output: 10, cache_read: 0.13 }],
  ["openrouter", "z-ai/glm-4.6", { input: 0.43, output: 1.74, cache_read: 0.08 }],
  ["vercel", "moonshotai/kimi-k2.6", { input: 0.95, output: 4, cache_read: 0.16 }],
  ["siliconflow-intl", "zai-org/GLM-5.1", { input: 1.4, output: 4.4, cache_read: 0.26 }],
  ["dashscope-intl", "qwen-max", { input: 1.6, output: 6.4 }],
] as const)("%s lists %s with the prices of its source", (vendor, name, prices) => {
  const found = pricesIn(findPriceList(vendor)?.find(name) ?? null);
  const expected = Object.entries(prices).map(([each, price]) => [each, BigInt(Math.round(price * 1e9))]);
  expect(found).toEqual(Object.fromEntries(expected));
});

test.each([
  // Steps by the prompt's length, which the source has for some sellers only.
  ["openrouter", "google/gemini-2.5-pro"],
  ["dashscope-intl", "qwen3-max"],
  // Each call searches, and the search is charged apart.
  ["openrouter", "perplexity/sonar-pro"],
  // Sound costs more than text.
  ["vercel", "google/gemini-2.5-flash"],
  // The source has no price for a cache of an hour.
  ["openrouter", "anthropic/claude-sonnet-4.5"],
  // Another model next month.
  ["openrouter", "~openai/gpt-latest"],
  // Its maker's newer list has another price.
  ["vercel", "deepseek/deepseek-v4-pro"],
  ["openrouter", "qwen/qwen3-coder:free"],
])("%s does not list %s: the list would lack a part of its price", (vendor, name) => {
  expect(findPriceList(vendor)?.find(name)).toBeNull();
});

test.each(["docs/setting-prices.md", "docs/zh/setting-prices.md"])(
  "%s names each preset without a list, and no other",
  (page) => {
    const rows = readFileSync(page, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    const named = rows.flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`([a-z-]+)`/g)].map(([, id]) => id),
    );
    const without = vendors.filter(({ id, priceList }) => findPriceList(priceList ?? id) === null);
    expect(named.sort()).toEqual(without.map(({ id }) => id).sort());
    const lines = readFileSync(page, "utf8");
    expect(listVendors.filter((vendor) => !lines.includes(`\`${vendor}\``))).toEqual([]);
  },
);

test.each(Object.entries(lists))("the list of %s names the source and the date of its prices", (_, list) => {
  expect(list).toMatchObject({
    source: expect.stringMatching(/\S/),
    date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    currency: expect.stringMatching(/^[A-Z]{3}$/),
  });
});
