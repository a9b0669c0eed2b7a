import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { serviceTiers } from "@/server/domain/enums";
import { always, type Conditions } from "./conditions";
import { byName, isPriceName, type PricedItem, parsePriceName, printPriceName } from "./names";

const minute = fc.integer({ min: 0, max: 1_439 });
const conditions: fc.Arbitrary<Conditions> = fc.record({
  above: fc.integer({ min: 0, max: 2_000_000 }),
  tier: fc.option(fc.constantFrom(...serviceTiers)),
  window: fc.option(fc.record({ from: minute, until: minute }).filter(({ from, until }) => from !== until)),
});
const item = fc.constantFrom<PricedItem>("input", "cache_write_1h", "request", "image:1024x1024:high");

describe("the name of a price", () => {
  test.each(["input", "cache_write_1h", "web_search", "image:1024x1024:high", "video:5:720p"])(
    "%s is an item for any call",
    (name) => {
      expect(parsePriceName(name)).toEqual({ item: name, conditions: always });
    },
  );

  test.each([
    ["input@200k", { above: 200_000 }],
    ["input@131072", { above: 131_072 }],
    ["output@128k@priority", { above: 128_000, tier: "priority" }],
    ["cache_read@16:30-00:30", { window: { from: 990, until: 30 } }],
    ["request@batch", { tier: "batch" }],
  ])("%s has its conditions", (name, own) => {
    expect(parsePriceName(name)?.conditions).toEqual({ ...always, ...own });
  });

  test.each([
    ...["", "Input", "inputs", "video:0:720p", "video:5:720p@200k", "image:auto", "constructor"],
    ...["input@", "input@0", "input@200000", "input@1.5k", "input@priority@200k", "input@200k@128k"],
    ...["input@slow", "input@24:00-01:00", "input@08:00-08:00", "@200k"],
  ])("%j is refused, because each price has only one name", (name) => {
    expect(isPriceName(name)).toBe(false);
  });

  test("is read back as it was printed", () => {
    fc.assert(
      fc.property(item, conditions, (each, when) => {
        const named = { item: each, conditions: when };
        expect(parsePriceName(printPriceName(named))).toEqual(named);
      }),
    );
  });

  test("without conditions comes before one with conditions, and tokens come before units", () => {
    const names = [
      "web_search",
      "output",
      "input@200k@priority",
      "cache_read",
      "input@200k",
      "input",
    ] as const;
    expect([...names].sort(byName)).toEqual([
      ...["input", "input@200k", "input@200k@priority", "output", "cache_read", "web_search"],
    ]);
  });
});
