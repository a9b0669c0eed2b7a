import fc from "fast-check";
import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { serviceTiers } from "@/server/domain/enums";
import { atTime, inForce, priceUnder } from "./in-force";
import { type PriceName, printPriceName, tokenClasses } from "./names";
import { toSheet } from "./sheet";

const window = { from: 990, until: 30 };
const at = new Date("2026-01-01T17:00:00Z");
const classNames = tokenClasses.map(({ name }) => name);
const names = classNames.flatMap((item) =>
  [0, 128_000, 200_000].flatMap((above) =>
    [null, ...serviceTiers].flatMap((tier) =>
      [null, window].map((each) => printPriceName({ item, conditions: { above, tier, window: each } })),
    ),
  ),
);
const sheets = fc
  .uniqueArray(fc.tuple(fc.constantFrom<PriceName>(...names), fc.bigInt({ min: 0n, max: 9n }).map(nanos)), {
    selector: ([name]) => name,
  })
  .map(toSheet);

test("the price under a name is the price in force if its conditions are met", () => {
  const circumstances = fc.record({
    item: fc.constantFrom(...classNames),
    above: fc.constantFrom(0, 128_000, 150_000, 200_000),
    tier: fc.option(fc.constantFrom(...serviceTiers)),
    isInWindow: fc.boolean(),
  });
  fc.assert(
    fc.property(sheets, circumstances, (sheet, { item, above, tier, isInWindow }) => {
      const conditions = { above, tier, window: isInWindow ? window : null };
      const moment = isInWindow ? at : new Date("2026-01-01T12:00:00Z");
      const charged = inForce(atTime(sheet, moment), { prompt: above + 1, tier }).get(item);
      expect(priceUnder(sheet, printPriceName({ item, conditions })) ?? 0n).toBe(charged);
    }),
    { numRuns: 1_000 },
  );
});

test("prices in force are resolved once for all calls under the same conditions", () => {
  const sheet = toSheet([
    ["input", nanos(1n)],
    ["input@128k", nanos(2n)],
    ["input@200k@flex", nanos(3n)],
  ]);
  const first = inForce(sheet, { prompt: 128_001, tier: null });
  expect(inForce(sheet, { prompt: 999_999, tier: "batch" })).toBe(first);
  expect(inForce(sheet, { prompt: 999_999, tier: "flex" }).get("input")).toBe(3n);
  expect(inForce(sheet, { prompt: 200_000, tier: "flex" }).get("input")).toBe(2n);
});

test("of two overlapping windows, the one that begins later in the day applies", () => {
  const sheet = toSheet([
    ["input@16:30-00:30", nanos(2n)],
    ["input@00:00-23:00", nanos(1n)],
  ]);
  const priceAt = (time: string) => atTime(sheet, new Date(`2026-01-01T${time}Z`)).get("input");
  expect(["00:10", "16:29", "16:30", "23:30"].map((time) => priceAt(`${time}:00`))).toEqual([2n, 1n, 2n, 2n]);
});
