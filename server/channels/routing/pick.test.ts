import fc from "fast-check";
import { expect, test } from "vitest";
import { drawOf, seedOf } from "./affinity";
import { order, orderByCost, orderBySpeed, tiersOf } from "./pick";
import type { Speed } from "./speeds";

const weighed = {
  isMovedOff: fc.boolean(),
  priority: fc.integer({ min: 0, max: 3 }),
  weight: fc.integer({ min: 0, max: 9 }),
};
const channel = fc.record(weighed);
const randomNumbers = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));

type Placed = { isMovedOff: boolean; priority: number; weight: number };

/**
 * Channels that traffic was moved off come last; above them a higher priority comes first, and inside a tier weight 0
 * comes last.
 */
function expectTiers(ordered: readonly Placed[]): void {
  const rankOf = ({ isMovedOff, priority, weight }: Placed) =>
    [isMovedOff, -priority, weight === 0].map(Number);
  for (const [index, later] of ordered.slice(1).entries()) {
    const [above, below] = [rankOf(ordered[index] ?? later), rankOf(later)];
    const differs = above.findIndex((figure, place) => figure !== below[place]);
    expect(differs === -1 || (above[differs] ?? 0) < (below[differs] ?? 0)).toBe(true);
  }
}

/** Channels with a known or unknown speed and cost. */
const channelLists = fc.array(
  fc.record({
    ...weighed,
    speed: fc.option(fc.record({ ms: fc.integer({ min: 1, max: 9_999 }), at: fc.nat() })),
    cost: fc.option(fc.bigInt({ min: 0n, max: 5n })),
  }),
);

test("every channel comes once, higher tiers first, and weight 0 last in its tier", () => {
  fc.assert(
    fc.property(channelLists, randomNumbers, (channels, numbers) => {
      const draw = () => numbers.next().value ?? 0;
      for (const ordered of [
        order(channels, draw),
        orderBySpeed(channels, ({ speed }) => speed, draw),
        orderByCost(channels, ({ cost }) => cost, draw),
      ]) {
        expect(ordered.length).toBe(channels.length);
        expect(new Set(ordered)).toEqual(new Set(channels));
        expectTiers(ordered);
      }
    }),
  );
});

test("the shown tiers have the order in which calls try them, and the first channel of a call has a share", () => {
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
        const tierOf = ({ isMovedOff, priority }: Omit<Placed, "weight">) => `${isMovedOff} ${priority}`;
        expect(enabled.map(tierOf)).toEqual([...new Set(ordered.map(tierOf))]);
        const first = enabled[0]?.ways.find(({ id }) => id === ordered[0]?.id);
        expect(first === undefined || first.share > 0).toBe(true);
        expect(first === undefined).toBe(ordered.length === 0);
      },
    ),
  );
});

test("a share is the weight among the enabled channels of the tier", () => {
  const tiers = tiersOf([
    { id: "off", isMovedOff: false, priority: 5, weight: 9, isEnabled: false },
    { id: "light", isMovedOff: false, priority: 1, weight: 1, isEnabled: true },
    { id: "spare", isMovedOff: false, priority: 1, weight: 0, isEnabled: true },
    { id: "heavy", isMovedOff: false, priority: 1, weight: 3, isEnabled: true },
    { id: "last", isMovedOff: false, priority: 0, weight: 0, isEnabled: true },
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

const placed = fc.uniqueArray(fc.record({ ...weighed, id: fc.integer() }), { selector: ({ id }) => id });

test("calls with the same key go to the same channel, whichever process asks and however channels are listed", () => {
  fc.assert(
    fc.property(placed, fc.string(), fc.integer(), (channels, shared, shift) => {
      const key = seedOf(shared);
      const draw = ({ id }: { id: number }) => drawOf(key, id);
      const turned = [...channels.slice(shift % 5), ...channels.slice(0, shift % 5)];
      expect(order(turned, draw).filter(({ weight }) => weight > 0)).toEqual(
        order(channels, draw).filter(({ weight }) => weight > 0),
      );
    }),
  );
});

test("when a channel is removed, only the calls that went there move", () => {
  fc.assert(
    fc.property(placed, fc.nat(), fc.string(), (channels, place, shared) => {
      const key = seedOf(shared);
      const draw = ({ id }: { id: number }) => drawOf(key, id);
      const removed = channels[place % Math.max(1, channels.length)];
      const remaining = order(
        channels.filter((each) => each !== removed),
        draw,
      );
      expect(remaining).toEqual(order(channels, draw).filter((each) => each !== removed));
    }),
  );
});

test("hashes keep the weights as random numbers do", () => {
  const channels = ["chn_a", "chn_b", "chn_c"].map((name, place) => ({
    isMovedOff: false,
    priority: 0,
    weight: [6, 3, 1][place] ?? 0,
    seed: seedOf(name),
  }));
  const firsts = Array.from({ length: 20_000 }, (_, turn) => {
    const key = seedOf(`acc_1 m conversation ${turn}`);
    return order(channels, ({ seed }) => drawOf(key, seed))[0]?.weight;
  });
  for (const weight of [6, 3, 1]) {
    expect(firsts.filter((first) => first === weight).length / 20_000).toBeCloseTo(weight / 10, 1);
  }
});

test("hashes are the same in every release, so that an upgrade scatters no conversation", () => {
  // MurmurHash3's last step maps 1 to 0x514e28b7, and that to the value here.
  expect(drawOf(1, 0) * 2 ** 32).toBe(0x2fef5c8f);
});

test("a call that does not explore goes to no channel that is a quarter slower than another of its tier", () => {
  fc.assert(
    fc.property(channelLists, (channels) => {
      const [first] = orderBySpeed(
        channels,
        ({ speed }) => speed,
        () => 0.999,
      );
      const rivals = channels.filter(
        ({ isMovedOff, priority, weight }) =>
          priority === first?.priority &&
          isMovedOff === first.isMovedOff &&
          (weight > 0 || first.weight === 0),
      );
      const best = Math.min(...rivals.map(({ speed }) => speed?.ms ?? Number.POSITIVE_INFINITY));
      expect(best === Number.POSITIVE_INFINITY || (first?.speed?.ms ?? best * 2) <= best * 1.25).toBe(true);
    }),
  );
});

test("one in twenty calls tries a slow channel, and one in four an unknown one, and such calls still have the other channels after it", () => {
  const fast = { id: "fast", isMovedOff: false, priority: 0, weight: 1, speed: { ms: 100, at: 9 } };
  const slow = { id: "slow", isMovedOff: false, priority: 0, weight: 1, speed: { ms: 900, at: 9 } };
  const unknown = { id: "unknown", isMovedOff: false, priority: 0, weight: 1, speed: null };
  const shareOf = (id: string, ways: (Placed & { id: string; speed: Speed | null })[]) => {
    const firsts = Array.from(
      { length: 20_000 },
      () => orderBySpeed(ways, ({ speed }) => speed, Math.random)[0],
    );
    return firsts.filter((first) => first?.id === id).length / firsts.length;
  };
  expect(shareOf("slow", [fast, slow])).toBeCloseTo(0.05, 1.7);
  expect(shareOf("unknown", [fast, slow, unknown])).toBeCloseTo(0.25, 1.3);
  expect(shareOf("fast", [fast, { ...slow, speed: { ms: 120, at: 9 } }])).toBeCloseTo(0.5, 1.3);
});

test("the cheapest channels come first in their tier, and unknown costs come only before weight 0", () => {
  fc.assert(
    fc.property(channelLists, randomNumbers, (channels, numbers) => {
      const draw = () => numbers.next().value ?? 0;
      const ordered = orderByCost(channels, ({ cost }) => cost, draw);
      const placeOf = ({ isMovedOff, priority, weight }: Placed) =>
        `${isMovedOff} ${priority} ${weight === 0}`;
      for (const place of new Set(ordered.map(placeOf))) {
        const costs = ordered.filter((entry) => placeOf(entry) === place).map(({ cost }) => cost ?? 6n);
        expect(costs).toEqual(costs.toSorted((left, right) => Number(left - right)));
      }
    }),
  );
});

test("channels of the same cost share calls by weight", () => {
  const [light, heavy] = [1, 3].map((weight) => ({ isMovedOff: false, priority: 0, weight }));
  const ways = [light, heavy].flatMap((way) => way ?? []);
  const firsts = Array.from({ length: 20_000 }, () => orderByCost(ways, () => 7n, Math.random)[0]);
  expect(firsts.filter((first) => first === heavy).length / firsts.length).toBeCloseTo(0.75, 1.3);
});
