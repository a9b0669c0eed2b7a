import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Nanos, nanos } from "@/server/base/money";
import { type ServiceTier, serviceTiers } from "@/server/domain/enums";
import { type Counted, charge, cost, explain, type Most, priceLimits, promptOf } from "./charge";
import { atTime } from "./in-force";
import { type PriceName, tokenClasses } from "./names";
import { type PriceSheet, priceOf, resolve, scale, toSheet } from "./sheet";

const MILLION = 1_000_000n;
const tokens = fc.integer({ min: 0, max: 1e9 });
const price = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(nanos);
const names: PriceName[] = [
  ...tokenClasses.flatMap(({ name }): PriceName[] => [
    name,
    `${name}@128k`,
    `${name}@priority`,
    `${name}@200k@flex`,
  ]),
  ...(["request", "web_search", "image", "image:1x1", "image:1x1:high", "character"] as const),
];
const sheets: fc.Arbitrary<PriceSheet> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), price), { selector: ([name]) => name })
  .map(toSheet);
const tiers = fc.option(fc.constantFrom(...serviceTiers), { nil: undefined });
const usages: fc.Arbitrary<Counted> = fc.record({
  ...{ inputTokens: tokens, cacheReadTokens: tokens, cacheWriteTokens: tokens, cacheWrite1hTokens: tokens },
  outputTokens: tokens,
  units: fc.dictionary(
    fc.constantFrom("request", "web_search", "image:1x1:low", "image:1x1:high", "character"),
    fc.integer({ min: 0, max: 10_000 }),
  ),
  tier: tiers,
});

const ceiling = ({ output, ...most }: Most & { output: number }, sheet: PriceSheet) =>
  priceLimits(most, sheet).ceiling(output);

const none = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
};
const sheetOf = (prices: { [Name in PriceName]?: bigint }): PriceSheet =>
  toSheet(Object.entries(prices).map(([name, each]) => [name as PriceName, nanos(each ?? 0n)]));
/** Prices of a million tokens in whole nano-units a token. */
const perToken = (prices: { [Name in PriceName]?: bigint }) =>
  scale(sheetOf(prices), (each) => nanos(each * MILLION));

describe("a price", () => {
  test("is the sum of its lines, each rounded up by less than a nano-unit", () => {
    fc.assert(
      fc.property(usages, sheets, (usage, sheet) => {
        const lines = explain(usage, sheet);
        expect(lines.reduce((sum, { amount }) => sum + amount, 0n)).toBe(cost(usage, sheet));
        for (const line of lines) {
          expect(line.amount).toBe(charge(line.item, line.count, line.price));
        }
      }),
    );
  });

  test("never exceeds the ceiling of its counts by more than the rounding of three classes", () => {
    fc.assert(
      fc.property(usages, sheets, (usage, sheet) => {
        const counts = { input: promptOf(usage), output: usage.outputTokens, units: usage.units };
        const tier: ServiceTier | null = usage.tier ?? null;
        expect(cost(usage, sheet) <= ceiling({ ...counts, tiers: [tier] }, sheet) + 3n).toBe(true);
        expect(cost(usage, sheet) <= ceiling({ ...counts, tiers: [null, ...serviceTiers] }, sheet) + 3n).toBe(
          true,
        );
      }),
    );
  });

  test("for the output that an amount affords is within the amount, and for one token more it is not", () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 12n }).map(nanos);
    fc.assert(
      fc.property(amounts, sheets, fc.integer({ min: 0, max: 500_000 }), (amount: Nanos, sheet, input) => {
        const output = priceLimits({ input }, sheet).affordable(amount);
        fc.pre(output < 1e15);
        if (output >= 0) {
          expect(ceiling({ input, output }, sheet) <= amount).toBe(true);
        }
        expect(ceiling({ input, output: output + 1 }, sheet) > amount).toBe(true);
      }),
    );
  });

  test("of a class without a price is the price of the class that it follows", () => {
    const prices = perToken({ input: 3n, cache_write: 4n });
    expect(cost({ ...none, cacheReadTokens: 10 }, prices)).toBe(30n);
    expect(cost({ ...none, cacheWrite1hTokens: 10 }, prices)).toBe(40n);
    expect([...resolve(prices).values()]).toEqual([3n, 0n, 3n, 4n, 4n].map((each) => each * MILLION));
  });

  test("of a unit is the price of its size and quality, else of its size, else of any", () => {
    const prices = sheetOf({ image: 1n, "image:1x1": 2n, "image:1x1:high": 3n });
    expect(
      ["image:1x1:high", "image:1x1:low", "image:2x2:low", "character"].map((unit) => priceOf(prices, unit)),
    ).toEqual([3n, 2n, 1n, null]);
  });

  test("of sound counts by the minute, so that an hour's price needs no rounding", () => {
    expect(charge("second", 3_600, nanos(1_850_000n))).toBe(111_000_000n);
    expect(charge("second", 61, nanos(6_000_000n))).toBe(6_100_000n);
  });
});

describe("a price that steps with the prompt", () => {
  const prices = perToken({
    input: 1n,
    output: 5n,
    cache_read: 1n,
    "input@128k": 2n,
    "output@128k": 7n,
    "input@256k": 4n,
  });

  test.each([
    [128_000, 128_000n + 5n],
    [128_001, 256_002n + 7n],
    [256_001, 1_024_004n + 7n],
  ])("applies to a whole call of %d tokens at the highest step below them", (inputTokens, amount) => {
    expect(cost({ ...none, inputTokens, outputTokens: 1 }, prices)).toBe(amount);
  });

  test("counts cached tokens of the prompt, and a class without a price for the step keeps its own", () => {
    const usage = { ...none, inputTokens: 1_000, cacheReadTokens: 127_001 };
    expect(cost(usage, prices)).toBe(2_000n + 127_001n);
  });

  test("depends on the longest of several prompts", () => {
    expect(cost({ ...none, inputTokens: 200_000, prompt: 100_000 }, prices)).toBe(200_000n);
  });

  test("is frozen for the highest step that the prompt can reach, and no higher one", () => {
    expect(ceiling({ input: 128_000, output: 1 }, prices)).toBe(128_005n);
    expect(ceiling({ input: 200_000, output: 1 }, prices)).toBe(400_007n);
  });
});

describe("a price of a service tier", () => {
  const prices = perToken({ input: 2n, "input@batch": 1n, "input@priority": 4n });

  test("applies to the tier that the answer names, and other tiers have the usual price", () => {
    const costAt = (tier?: ServiceTier) => cost({ ...none, inputTokens: 10, tier }, prices);
    expect([costAt(), costAt("batch"), costAt("priority"), costAt("flex")]).toEqual([20n, 10n, 40n, 20n]);
  });

  test("is frozen for the dearest tier that the answer can name", () => {
    const counts = { input: 10, output: 0 };
    expect(ceiling({ ...counts, tiers: [null, ...serviceTiers] }, prices)).toBe(40n);
    expect(ceiling({ ...counts, tiers: [null, "batch"] }, prices)).toBe(20n);
  });
});

test("a price of a daily window replaces the usual price in that window, also past midnight", () => {
  const prices = perToken({ input: 4n, "input@200k": 8n, "input@16:30-00:30": 1n });
  const costAt = (time: string, inputTokens = 10) =>
    cost({ ...none, inputTokens }, atTime(prices, new Date(`2026-01-01T${time}Z`)));
  expect(["16:29:59", "16:30:00", "23:59:59", "00:29:59", "00:30:00"].map((time) => costAt(time))).toEqual([
    ...[40n, 10n, 10n, 10n, 40n],
  ]);
  expect(costAt("17:00:00", 200_001)).toBe(1_600_008n);
});
