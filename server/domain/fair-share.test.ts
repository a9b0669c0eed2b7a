import fc from "fast-check";
import { expect, test } from "vitest";
import { mayTake, RESERVE } from "./fair-share";

/** Owners that take, one place at a time and in turn, as long as one of them may. Returns what each has. */
function greedy(capacity: number, owners: number): number[] {
  const held = Array.from({ length: owners }, () => 0);
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const [owner, own] of held.entries()) {
      const used = held.reduce((sum, places) => sum + places, 0);
      if (mayTake({ capacity, used, own })) {
        held[owner] = own + 1;
        isMoving = true;
      }
    }
  }
  return held;
}

test("a single owner gets nearly all places, and several owners get the same number", () => {
  expect(greedy(10_000, 1)).toEqual([9_411]);
  expect(greedy(10_000, 2)).toEqual([4_848, 4_848]);
  const held = greedy(10_000, 10);
  expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
  expect(held.reduce((sum, places) => sum + places, 0)).toBeGreaterThan(9_900);
});

test("after an owner that took all it may, hundreds of others get a place at once", () => {
  let used = greedy(10_000, 1)[0] ?? 0;
  let others = 0;
  while (mayTake({ capacity: 10_000, used, own: 0 })) {
    used++;
    others++;
  }
  expect(others).toBe(589);
});

test("the first owner's share shrinks as its calls end, and free places go to the owner with fewer", () => {
  const capacity = 1_000;
  let [first, second] = [greedy(capacity, 1)[0] ?? 0, 0];
  // Both always want more, and the first one asks first. One of its calls ends in each round.
  for (let round = 0; round < capacity; round++) {
    while (mayTake({ capacity, used: first + second, own: first })) {
      first++;
    }
    while (mayTake({ capacity, used: first + second, own: second })) {
      second++;
    }
    first--;
  }
  expect(Math.abs(first - second)).toBeLessThan(capacity / 20);
});

test("no more places are taken than exist, and only an owner without any takes the last one", () => {
  fc.assert(
    fc.property(
      fc.record({ capacity: fc.nat(1_000), used: fc.nat(1_000), amount: fc.integer({ min: 1, max: 50 }) }),
      fc.nat(1_000),
      fc.constantFrom(RESERVE, 1),
      (places, share, reserve) => {
        const own = Math.min(share, places.used);
        const left = places.capacity - places.used - places.amount;
        if (mayTake({ ...places, own, reserve })) {
          expect(left).toBeGreaterThanOrEqual(own === 0 ? 0 : Math.max(1, own * reserve));
        } else {
          expect(own === 0 ? left < 0 : left < Math.ceil((own + places.amount) * reserve)).toBe(true);
        }
      },
    ),
  );
});
