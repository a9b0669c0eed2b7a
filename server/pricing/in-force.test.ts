import fc from "fast-check";
import { expect, test } from "vitest";
import { serviceTiers } from "@/server/base/enums";
import { nanos } from "@/server/base/money";
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

test("the price under a name is the price in force where its conditions are met", () => {
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
