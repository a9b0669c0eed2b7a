import fc from "fast-check";
import { expect, test } from "vitest";
import { order } from "./pick";
import { createVault } from "./vault";

const channel = fc.record({
  priority: fc.integer({ min: 0, max: 3 }),
  weight: fc.integer({ min: 0, max: 9 }),
});

test("every channel comes once, higher tiers first, weight 0 last in its tier", () => {
  fc.assert(
    fc.property(
      fc.array(channel),
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      (channels, numbers) => {
        const ordered = order(channels, () => numbers.next().value ?? 0);
        expect(new Set(ordered)).toEqual(new Set(channels));
        for (const [index, later] of ordered.slice(1).entries()) {
          const earlier = ordered[index] ?? later;
          expect(earlier.priority).toBeGreaterThanOrEqual(later.priority);
          expect(earlier.priority > later.priority || earlier.weight > 0 || later.weight === 0).toBe(true);
        }
      },
    ),
  );
});

test("a credential opens only under its own key and only untouched", () => {
  const vault = createVault("k".repeat(32));
  const sealed = vault.seal("sk-vendor");
  expect(sealed).not.toContain("sk-vendor");
  expect(vault.seal("sk-vendor")).not.toBe(sealed);
  expect(vault.open(sealed)).toBe("sk-vendor");
  expect(() => createVault("x".repeat(32)).open(sealed)).toThrow();
  expect(() => vault.open(`${sealed.slice(0, -2)}AA`)).toThrow();
});
