import fc from "fast-check";
import { expect, test } from "vitest";
import { order, tiersOf } from "./pick";

const channel = fc.record({
  priority: fc.integer({ min: 0, max: 3 }),
  weight: fc.integer({ min: 0, max: 9 }),
});
const randomNumbers = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));

test("every channel comes once, higher tiers first, weight 0 last in its tier", () => {
  fc.assert(
    fc.property(fc.array(channel), randomNumbers, (channels, numbers) => {
      const ordered = order(channels, () => numbers.next().value ?? 0);
      expect(new Set(ordered)).toEqual(new Set(channels));
      for (const [index, later] of ordered.slice(1).entries()) {
        const earlier = ordered[index] ?? later;
        expect(earlier.priority).toBeGreaterThanOrEqual(later.priority);
        expect(earlier.priority > later.priority || earlier.weight > 0 || later.weight === 0).toBe(true);
      }
    }),
  );
});

test("the tiers shown are the ones that calls come to, in that order, and who is tried first has a share", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(channel, fc.boolean()), { minLength: 1 }),
      randomNumbers,
      (drawn, numbers) => {
        const all = drawn.map(([way, isEnabled], id) => ({ ...way, isEnabled, id }));
        const tiers = tiersOf(all);
        expect(new Set(tiers.flatMap(({ ways }) => ways.map(({ id }) => id)))).toEqual(new Set(all.keys()));

        const enabled = tiers.filter(({ ways }) => ways.every(({ isEnabled }) => isEnabled));
        expect(tiers.slice(0, enabled.length)).toEqual(enabled);
        for (const { ways } of enabled) {
          expect(ways.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
        }

        const ordered = order(
          all.filter(({ isEnabled }) => isEnabled),
          () => numbers.next().value ?? 0,
        );
        expect(enabled.map(({ priority }) => priority)).toEqual([
          ...new Set(ordered.map(({ priority }) => priority)),
        ]);
        const first = enabled[0]?.ways.find(({ id }) => id === ordered[0]?.id);
        expect(first === undefined || first.share > 0).toBe(true);
        expect(first === undefined).toBe(ordered.length === 0);
      },
    ),
  );
});

test("a share is the weight among the enabled ones of the tier", () => {
  const tiers = tiersOf([
    { id: "off", priority: 5, weight: 9, isEnabled: false },
    { id: "light", priority: 1, weight: 1, isEnabled: true },
    { id: "spare", priority: 1, weight: 0, isEnabled: true },
    { id: "heavy", priority: 1, weight: 3, isEnabled: true },
    { id: "last", priority: 0, weight: 0, isEnabled: true },
  ]);
  expect(tiers.map(({ ways }) => ways.map(({ id, share }) => [id, share]))).toEqual([
    [
      ["heavy", 0.75],
      ["light", 0.25],
      ["spare", 0],
    ],
    [["last", 1]],
    [["off", 0]],
  ]);
});
