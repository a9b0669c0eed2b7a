import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import type { Prices } from "@/server/catalog";
import type { Usage } from "@/server/protocol/usage";
import { affordableTokens, ceilingNanos, costNanos, explainCharge, pricesOfCharge } from "./price";

const MILLION = 1_000_000n;
const tokens = fc.integer({ min: 0, max: 1e12 });
const price = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(nanos);
const pricesOf: fc.Arbitrary<Prices> = fc.record({
  ...{ input: price, cacheRead: price, cacheWrite: price },
  ...{ cacheWrite1h: price, output: price },
});
const usageOf: fc.Arbitrary<Usage> = fc
  .record({
    ...{ inputTokens: tokens, cacheReadTokens: tokens, cacheWriteTokens: tokens },
    ...{ cacheWrite1hTokens: tokens, outputTokens: tokens },
  })
  .map((counts) => ({ ...counts, reasoningTokens: counts.outputTokens }));

const zero = nanos(0n);
const free: Prices = { input: zero, cacheRead: zero, cacheWrite: zero, cacheWrite1h: zero, output: zero };
const classes = {
  ...{ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
  outputTokens: 0,
};

/** A million times the exact price of each class. */
const exactly = (usage: Usage, prices: Prices): bigint[] => [
  BigInt(usage.inputTokens) * prices.input,
  BigInt(usage.cacheReadTokens) * prices.cacheRead,
  BigInt(usage.cacheWriteTokens) * prices.cacheWrite,
  BigInt(usage.cacheWrite1hTokens) * prices.cacheWrite1h,
  BigInt(usage.outputTokens) * prices.output,
];
const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n);

describe("a price", () => {
  test("is never below the exact one, and above it by less than a nano-unit a class", () => {
    fc.assert(
      fc.property(usageOf, pricesOf, (usage, prices) => {
        const classes = exactly(usage, prices);
        const excess = costNanos(usage, prices) * MILLION - sum(classes);
        const rounded = BigInt(classes.filter((value) => value % MILLION !== 0n).length);
        expect(excess).toBeGreaterThanOrEqual(0n);
        // Exact classes add nothing; each of the others adds less than one whole nano-unit.
        expect(excess <= rounded * (MILLION - 1n)).toBe(true);
      }),
    );
  });

  test("pays reasoning as output, once", () => {
    fc.assert(
      fc.property(usageOf, pricesOf, (usage, prices) => {
        expect(costNanos({ ...usage, reasoningTokens: 0 }, prices)).toBe(costNanos(usage, prices));
      }),
    );
  });

  test("never exceeds the ceiling of its token counts but by the rounding of three more classes", () => {
    fc.assert(
      fc.property(usageOf, pricesOf, (usage, prices) => {
        const input =
          usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.cacheWrite1hTokens;
        const ceiling = ceilingNanos({ input, output: usage.outputTokens }, prices);
        expect(costNanos(usage, prices) <= ceiling + 3n).toBe(true);
      }),
    );
  });

  test("of the tokens that a budget affords is within the budget, and of one token more is not", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 12n }),
        pricesOf.filter((prices) => prices.output > 1_000n),
        (budget, prices) => {
          const output = affordableTokens(nanos(budget), prices);
          expect(ceilingNanos({ input: 0, output }, prices) <= budget).toBe(true);
          expect(ceilingNanos({ input: 0, output: output + 1 }, prices) > budget).toBe(true);
        },
      ),
    );
  });

  test.each([
    [1, 1n, 1n],
    [1_000_000, 1n, 1n],
    [1_000_001, 1n, 2n],
    [3, 2_000_000_000n, 6_000n],
    [0, 2_000_000_000n, 0n],
  ])("of %d output tokens at %d nano-units a million is %d", (outputTokens, output, cost) => {
    const input = { inputTokens: 9, cacheReadTokens: 9, cacheWriteTokens: 9, cacheWrite1hTokens: 9 };
    const usage: Usage = { ...input, outputTokens, reasoningTokens: 0 };
    expect(costNanos(usage, { ...free, output: nanos(output) })).toBe(cost);
  });
});

describe("a charge explained from its ledger entry", () => {
  test("is lines that add up to what was charged, each with its tokens and its price", () => {
    fc.assert(
      fc.property(usageOf, pricesOf, (usage, prices) => {
        const lines = explainCharge({ ...usage, prices });
        expect(sum(lines.map((line) => line.amount))).toBe(costNanos(usage, prices));
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

  test("reads no count of a class as nothing", () => {
    const [input, output] = [nanos(2_000_000_000n), nanos(3n)];
    const prices = { input, cacheRead: output, cacheWrite: output, cacheWrite1h: output, output };
    const counts = { cacheReadTokens: null, cacheWriteTokens: 0, cacheWrite1hTokens: null };
    expect(explainCharge({ prices, ...counts, inputTokens: 1_500, outputTokens: 1 })).toEqual([
      { class: "input", tokens: 1_500, unit: null, price: 2_000_000_000n, amount: 3_000_000n },
      { class: "output", tokens: 1, unit: null, price: 3n, amount: 1n },
    ]);
  });

  test("of units has a line for each that was used, at the nearest price", () => {
    const unitPrices = [
      { unit: "image:1024x1024", price: nanos(40_000_000n) },
      { unit: "web_search", price: nanos(10_000_000n) },
    ];
    const units = { "image:1024x1024:high": 2, web_search: 3, character: 5 };
    const usage: Usage = { ...classes, reasoningTokens: 0, units };
    expect(costNanos(usage, free, unitPrices)).toBe(110_000_000n);
    const paid = pricesOfCharge(usage, free, unitPrices);
    expect(explainCharge({ ...usage, prices: paid, units: { ...units, character: 0 } })).toEqual([
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

  test("of a video is its price", () => {
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
