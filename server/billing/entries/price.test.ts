import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { cost, tokenClasses, tokenPrice } from "@/server/pricing";
import type { Usage } from "@/server/protocol/usage/usage";
import { sheetOf } from "@/tests/support/price-sheet";
import { explainCharge, pricesOfCharge } from "./price";

const MILLION = 1_000_000n;
const tokens = fc.integer({ min: 0, max: 1e12 });
const price = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(nanos);
const sheets = fc
  .record({ input: price, output: price, cache_read: price, cache_write: price, cache_write_1h: price })
  .map(sheetOf);
const usageOf: fc.Arbitrary<Usage> = fc
  .record({
    ...{ inputTokens: tokens, cacheReadTokens: tokens, cacheWriteTokens: tokens },
    ...{ cacheWrite1hTokens: tokens, outputTokens: tokens },
  })
  .map((counts) => ({ ...counts, reasoningTokens: counts.outputTokens }));

const classes = {
  ...{ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
  outputTokens: 0,
};

const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n);

describe("a price", () => {
  test("is never below the exact one, and above it by less than a nano-unit for each class", () => {
    fc.assert(
      fc.property(usageOf, sheets, (usage, sheet) => {
        const exact = tokenClasses.map(
          ({ name, field }) => BigInt(usage[`${field}Tokens`]) * tokenPrice(sheet, name),
        );
        const excess = cost(usage, sheet) * MILLION - sum(exact);
        const rounded = BigInt(exact.filter((value) => value % MILLION !== 0n).length);
        expect(excess).toBeGreaterThanOrEqual(0n);
        // Exact classes add nothing; each of the others adds less than one whole nano-unit.
        expect(excess <= rounded * (MILLION - 1n)).toBe(true);
      }),
    );
  });

  test("counts reasoning as output, once", () => {
    fc.assert(
      fc.property(usageOf, sheets, (usage, sheet) => {
        const without = { ...usage, reasoningTokens: 0 };
        expect(cost(without, sheet)).toBe(cost(usage, sheet));
      }),
    );
  });
});

describe("a charge explained from its ledger entry", () => {
  test("has lines that add up to the charge, each with its tokens and its price", () => {
    fc.assert(
      fc.property(usageOf, sheets, (usage, sheet) => {
        const prices = pricesOfCharge(usage, sheet);
        const lines = explainCharge({ ...usage, prices });
        expect(sum(lines.map((line) => line.amount))).toBe(cost(usage, sheet));
        for (const line of lines) {
          expect(line.class === "video" || line.class === "unit" ? null : prices[line.class]).toBe(
            line.price,
          );
        }
        expect(sum(lines.map((line) => BigInt(line.tokens ?? 0)))).toBe(
          BigInt(
            Object.keys(classes).reduce((total, name) => total + usage[name as keyof typeof classes], 0),
          ),
        );
      }),
    );
  });

  test("has no line for a class without a count", () => {
    const [input, output] = [nanos(2_000_000_000n), nanos(3n)];
    const prices = { input, cacheRead: output, cacheWrite: output, cacheWrite1h: output, output };
    const counts = { cacheReadTokens: null, cacheWriteTokens: 0, cacheWrite1hTokens: null };
    expect(explainCharge({ prices, ...counts, inputTokens: 1_500, outputTokens: 1 })).toEqual([
      { class: "input", tokens: 1_500, unit: null, price: 2_000_000_000n, amount: 3_000_000n },
      { class: "output", tokens: 1, unit: null, price: 3n, amount: 1n },
    ]);
  });

  test("has a line for each unit that was used, at the nearest price", () => {
    const sheet = sheetOf({ "image:1024x1024": 40_000_000n, web_search: 10_000_000n });
    const units = { "image:1024x1024:high": 2, web_search: 3, character: 5 };
    const usage: Usage = { ...classes, reasoningTokens: 0, units };
    expect(cost(usage, sheet)).toBe(110_000_000n);
    const chargedPrices = pricesOfCharge(usage, sheet);
    expect(explainCharge({ ...usage, prices: chargedPrices, units: { ...units, character: 0 } })).toEqual([
      {
        ...{ class: "unit", tokens: null, unit: { name: "image:1024x1024:high", count: 2 } },
        ...{ price: 40_000_000n, amount: 80_000_000n },
      },
      {
        ...{ class: "unit", tokens: null, unit: { name: "web_search", count: 3 }, price: 10_000_000n },
        amount: 30_000_000n,
      },
    ]);
  });

  test("has one line with the price if the charge is for a video", () => {
    const none = {
      ...{ inputTokens: null, cacheReadTokens: null, cacheWriteTokens: null },
      ...{ cacheWrite1hTokens: null, outputTokens: null },
    };
    expect(explainCharge({ prices: { video: nanos(500_000_000n) }, ...none })).toEqual([
      { class: "video", tokens: null, unit: null, price: 500_000_000n, amount: 500_000_000n },
    ]);
    expect(explainCharge({ prices: null, ...none })).toEqual([]);
  });
});
