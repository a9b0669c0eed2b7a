import { describe, expect, test } from "vitest";
import { formatFactor, parseFactor } from "@/server/domain/factor";
import { pricesIn, sheetOf } from "@/tests/support/price-sheet";
import { atGroupPrices } from "./price-groups";

const factor = (text: string) => parseFactor(text) ?? 0n;

const model = {
  id: "a-model",
  prices: sheetOf({
    ...{ input: 1_000n, output: 3n, cache_read: 101n, cache_write: 1n, cache_write_1h: 0n },
    ...{ request: 7n, "video:5:720p": 999_999_999n },
  }),
};

describe("at a group's prices", () => {
  test("each price is multiplied once and rounded up to a nano-unit, and a free model stays free", () => {
    const sold = atGroupPrices(model, { factor: factor("0.8"), modelFactors: new Map() });
    expect(pricesIn(sold.prices)).toEqual({
      ...{ input: 800n, output: 3n, cache_read: 81n, cache_write: 1n, cache_write_1h: 0n },
      ...{ request: 6n, "video:5:720p": 800_000_000n },
    });
    expect(model.prices.get("input")).toBe(1_000n);
  });

  test("a model's own factor replaces the group's", () => {
    const modelFactors = new Map([["a-model", factor("2.000001")]]);
    expect(atGroupPrices(model, { factor: factor("0.5"), modelFactors }).prices.get("input")).toBe(2_001n);
    expect(
      atGroupPrices({ ...model, id: "b" }, { factor: factor("0.5"), modelFactors }).prices.get("input"),
    ).toBe(500n);
  });
});

test.each(["0.8", "1", "1.25", "0.000001", "1000", "12.3456"])(
  "the factor %s is written as it was read",
  (text) => {
    expect(formatFactor(factor(text))).toBe(text);
  },
);
