import type { Speed } from "./speeds";

/** What the choice of a channel depends on. */
type Candidate = { isMovedOff: boolean; priority: number; weight: number };

/** By tiers: those that traffic was moved off after all others, and above that the higher priority first. */
const byTier = (left: Candidate, right: Candidate) =>
  Number(left.isMovedOff) - Number(right.isMovedOff) || right.priority - left.priority;

/** What is in order, tier by tier. */
function inTiers<C extends Candidate>(ordered: readonly C[]): C[][] {
  const tiers: C[][] = [];
  for (const candidate of ordered) {
    const [first] = tiers.at(-1) ?? [];
    if (first && byTier(first, candidate) === 0) {
      tiers.at(-1)?.push(candidate);
    } else {
      tiers.push([candidate]);
    }
  }
  return tiers;
}

/**
 * The order in which to try channels: the highest priority tier first, what traffic was moved off last, inside a tier a weighted shuffle. `draw` answers
 * a number in [0, 1) for each: a random one, or one that its hash tells, by which the same comes first each time and
 * the weights are kept all the same. A weight of 0 is tried after all others of its tier.
 */
export function order<C extends Candidate>(candidates: readonly C[], draw: (candidate: C) => number): C[] {
  // Each draws a key; weighted sampling without replacement is sorting by -ln(u)/weight.
  const keyed = candidates.map((candidate) => ({
    candidate,
    key: candidate.weight > 0 ? -Math.log(1 - draw(candidate)) / candidate.weight : Number.MAX_VALUE,
  }));
  keyed.sort((left, right) => byTier(left.candidate, right.candidate) || left.key - right.key || 0);
  return keyed.map(({ candidate }) => candidate);
}

/** Of the calls that could go to the fastest, so many try another one, which may have become faster. */
const EXPLORING = 0.05;
/** The same where one has not been measured: that is known after a few calls. */
const EXPLORING_UNKNOWN = 0.25;
/** So much slower is as fast: else all calls would go to one of two that are alike. */
const ALIKE = 1.25;

/** Of some that are alike to each other: those that answered soonest, and now and then another one, first. */
function fastestOf<C extends Candidate>(
  tier: readonly C[],
  speedOf: (candidate: C) => Speed | null,
  random: () => number,
): C[] {
  const known = tier.map((candidate) => ({ candidate, speed: speedOf(candidate) }));
  const best = Math.min(...known.map(({ speed }) => speed?.ms ?? Number.POSITIVE_INFINITY));
  if (tier.length < 2 || best === Number.POSITIVE_INFINITY) {
    return [...tier];
  }
  // Sorting is stable: among those that are alike the weights decide.
  const rankOf = ({ speed }: { speed: Speed | null }) => {
    const ms = speed?.ms ?? Number.MAX_VALUE;
    return ms <= best * ALIKE ? best : ms;
  };
  const ranked = known.toSorted((left, right) => rankOf(left) - rankOf(right));
  const others = ranked.filter((way) => rankOf(way) > best);
  // What was measured longest ago, or never.
  const explored = others.toSorted((left, right) => (left.speed?.at ?? 0) - (right.speed?.at ?? 0))[0];
  const share = explored?.speed ? EXPLORING : EXPLORING_UNKNOWN;
  const first = explored && random() < share ? [explored] : [];
  return [...first, ...ranked.filter((way) => way !== explored || first.length === 0)].map(
    ({ candidate }) => candidate,
  );
}

/**
 * The same with those first inside a tier that have answered soonest lately; a small part of the calls tries another
 * one. A weight of 0 stays after all others of its tier.
 */
export function orderBySpeed<C extends Candidate>(
  candidates: readonly C[],
  speedOf: (candidate: C) => Speed | null,
  random: () => number,
): C[] {
  return inTiers(order(candidates, random)).flatMap((tier) => {
    const spare = tier.filter(({ weight }) => weight === 0);
    return [
      ...fastestOf(
        tier.filter(({ weight }) => weight > 0),
        speedOf,
        random,
      ),
      ...fastestOf(spare, speedOf, random),
    ];
  });
}

/**
 * The same with those first inside a tier at which the call costs least; what nobody knows the cost of after them. Among
 * those that cost the same the weights decide. A weight of 0 stays after all others of its tier.
 */
export function orderByCost<C extends Candidate>(
  candidates: readonly C[],
  costOf: (candidate: C) => bigint | null,
  random: () => number,
): C[] {
  return inTiers(order(candidates, random)).flatMap((tier) =>
    tier
      .map((candidate) => ({ candidate, isSpare: candidate.weight === 0, cost: costOf(candidate) }))
      .sort(
        (left, right) =>
          Number(left.isSpare) - Number(right.isSpare) ||
          Number(left.cost === null) - Number(right.cost === null) ||
          Number((left.cost ?? 0n) - (right.cost ?? 0n)),
      )
      .map(({ candidate }) => candidate),
  );
}

type Tier<C> = { isMovedOff: boolean; priority: number; ways: (C & { share: number })[] };

/** `share`: of the calls that come to their tier, the part that tries this one first. A disabled one has none. */
function withShares<C extends Candidate & { isEnabled: boolean }>(ways: C[]): (C & { share: number })[] {
  const total = ways.reduce((sum, way) => sum + way.weight, 0);
  // Where all are spare, all are alike.
  const part = ({ weight }: C) => (total === 0 ? 1 / ways.length : weight / total);
  return ways
    .map((way) => ({ ...way, share: way.isEnabled ? part(way) : 0 }))
    .sort((left, right) => right.share - left.share);
}

/** What `order` comes to, for people: the tiers in the order in which they are tried; disabled ones after all. */
export function tiersOf<C extends Candidate & { isEnabled: boolean }>(candidates: readonly C[]): Tier<C>[] {
  const tiers = (ways: C[]) =>
    inTiers(ways.toSorted(byTier)).map((tier) => ({
      isMovedOff: tier.every(({ isMovedOff }) => isMovedOff),
      priority: tier[0]?.priority ?? 0,
      ways: withShares(tier),
    }));
  return [
    ...tiers(candidates.filter(({ isEnabled }) => isEnabled)),
    ...tiers(candidates.filter(({ isEnabled }) => !isEnabled)),
  ];
}
