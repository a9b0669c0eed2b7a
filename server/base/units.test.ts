import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nanos } from "./money";
import { chargeUnits, countPerPrice, isUnit, nearestPrice, unitNameOf } from "./units";

describe("a unit", () => {
  test.each([
    ...["request", "image", "image:1024x1024", "image:1024x1024:high"],
    ...["character", "web_search", "second"],
  ])("%s is one", (unit) => {
    expect(isUnit(unit)).toBe(true);
    expect(unitNameOf(unit)).toBe(unit.split(":")[0]);
  });

  test.each([
    ...["", "constructor", "images", "image:"],
    ...["image:a:b:c", "IMAGE", "image:1024 x 1024", "image::high"],
  ])("%j is none", (unit) => {
    expect(isUnit(unit)).toBe(false);
  });

  test.each(["web_search:high", "request:1", "image:auto", "image:auto:high", "image:1024x1024:auto"])(
    "%j is none: nothing would ever be charged at its price",
    (unit) => {
      expect(isUnit(unit)).toBe(false);
    },
  );

  test("has the price of its size and quality, else of its size, else of any", () => {
    const at = (unit: string, price: bigint) => ({ unit, price: nanos(price) });
    const prices = [
      at("image", 1n),
      at("image:1024x1024", 2n),
      at("image:1024x1024:high", 3n),
      at("request", 4n),
    ];
    expect(nearestPrice(prices, "image:1024x1024:high")?.price).toBe(3n);
    expect(nearestPrice(prices, "image:1024x1024:low")?.price).toBe(2n);
    expect(nearestPrice(prices, "image:512x512:low")?.price).toBe(1n);
    expect(nearestPrice(prices, "character")).toBeNull();
  });

  test("of sound is priced by the minute: a price of an hour is none that has to be rounded", () => {
    // 0.111 an hour: 0.00185 a minute.
    expect(chargeUnits(3_600, { unit: "second", price: nanos(1_850_000n) })).toBe(111_000_000n);
    expect(chargeUnits(61, { unit: "second", price: nanos(6_000_000n) })).toBe(6_100_000n);
  });

  test("costs its price each, a minute or a million of them: never less than exactly, and less than a nano-unit above", () => {
    const count = fc.integer({ min: 0, max: 1e9 });
    const price = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(nanos);
    fc.assert(
      fc.property(
        fc.constantFrom("request", "image:1x1", "character", "image_input", "audio_input", "second"),
        count,
        price,
        (unit, n, each) => {
          const divisor = BigInt(countPerPrice(unit));
          const excess = chargeUnits(n, { unit, price: each }) * divisor - BigInt(n) * each;
          expect(excess >= 0n && excess < divisor).toBe(true);
        },
      ),
    );
  });
});
