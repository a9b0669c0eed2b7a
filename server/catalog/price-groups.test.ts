import { describe, expect, test } from "vitest";
import { formatFactor, parseFactor } from "@/server/base/factor";
import { nanos } from "@/server/base/money";
import { atGroupPrices } from "./price-groups";

const factor = (text: string) => parseFactor(text) ?? 0n;

const model = {
  id: "a-model",
  prices: {
    ...{ input: nanos(1_000n), cacheRead: nanos(101n), cacheWrite: nanos(1n), cacheWrite1h: nanos(0n) },
    output: nanos(3n),
  },
  unitPrices: [{ unit: "request", price: nanos(7n) }],
  videoPrices: [{ durationSeconds: 5, resolution: "720p", price: nanos(999_999_999n) }],
};

describe("at a group's prices", () => {
  test("each price is multiplied once and rounded up to a nano-unit; what is free stays free", () => {
    const sold = atGroupPrices(model, { factor: factor("0.8"), modelFactors: new Map() });
    expect(sold.prices).toEqual({
      ...{ input: 800n, cacheRead: 81n, cacheWrite: 1n },
      ...{ cacheWrite1h: 0n, output: 3n },
    });
    expect(sold.unitPrices).toEqual([{ unit: "request", price: 6n }]);
    expect(sold.videoPrices[0]?.price).toBe(800_000_000n);
    expect(model.prices.input).toBe(1_000n);
  });

  test("a model's own factor takes the place of the group's", () => {
    const modelFactors = new Map([["a-model", factor("2.000001")]]);
    expect(atGroupPrices(model, { factor: factor("0.5"), modelFactors }).prices.input).toBe(2_001n);
    expect(atGroupPrices({ ...model, id: "b" }, { factor: factor("0.5"), modelFactors }).prices.input).toBe(
      500n,
    );
  });
});

test.each(["0.8", "1", "1.25", "0.000001", "1000", "12.3456"])(
  "the factor %s is written as it was read",
  (text) => {
    expect(formatFactor(factor(text))).toBe(text);
  },
);
