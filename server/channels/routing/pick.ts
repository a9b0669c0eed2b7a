import type { Speed } from "./speeds";

/** The settings that determine the order of channels. */
type Candidate = { isMovedOff: boolean; priority: number; weight: number };

/** Orders by tier: channels that traffic was moved off come last, then higher priority comes first. */
const byTier = (left: Candidate, right: Candidate) =>
  Number(left.isMovedOff) - Number(right.isMovedOff) || right.priority - left.priority;

/** Groups an ordered list by tier. */
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
 * The order in which to try channels: the highest priority tier first, channels that traffic was moved off last, and
 * inside a tier a weighted shuffle. `draw` returns a number in [0, 1) for each channel: a random one, or one from its
 * hash, which always puts the same channel first and still keeps the weights. A weight of 0 comes after all others of
 * its tier.
 */
export function order<C extends Candidate>(candidates: readonly C[], draw: (candidate: C) => number): C[] {
  // Weighted sampling without replacement is sorting by -ln(u)/weight.
  const keyed = candidates.map((candidate) => ({
    candidate,
    key: candidate.weight > 0 ? -Math.log(1 - draw(candidate)) / candidate.weight : Number.MAX_VALUE,
  }));
  keyed.sort((left, right) => byTier(left.candidate, right.candidate) || left.key - right.key || 0);
  return keyed.map(({ candidate }) => candidate);
}

/** Share of the calls that try a slower channel, which may have become faster. */
const EXPLORING = 0.05;
/** The share for a channel without a measurement, which a few calls are enough to give. */
const EXPLORING_UNKNOWN = 0.25;
/**
 * Channels up to this factor slower count as equally fast. Otherwise all calls would go to one of two similar channels.
 */
const ALIKE = 1.25;

/** Orders the channels of a tier by speed, fastest first; now and then a slower one comes first. */
function fastestOf<C extends Candidate>(
  tier: readonly C[],
  speedOf: (candidate: C) => Speed | null,
  random: () => number,
): C[] {
  const ways = tier.map((candidate) => ({ candidate, speed: speedOf(candidate) }));
  const best = Math.min(...ways.map(({ speed }) => speed?.ms ?? Number.POSITIVE_INFINITY));
  if (tier.length < 2 || best === Number.POSITIVE_INFINITY) {
    return [...tier];
  }
  // Sorting is stable: the weights order channels of similar speed.
  const rankOf = ({ speed }: { speed: Speed | null }) => {
    const ms = speed?.ms ?? Number.MAX_VALUE;
    return ms <= best * ALIKE ? best : ms;
  };
  const ranked = ways.toSorted((left, right) => rankOf(left) - rankOf(right));
  const others = ranked.filter((way) => rankOf(way) > best);
  // The channel without a measurement, otherwise the one with the oldest.
  const explored = others.toSorted((left, right) => (left.speed?.at ?? 0) - (right.speed?.at ?? 0))[0];
  const share = explored?.speed ? EXPLORING : EXPLORING_UNKNOWN;
  const first = explored && random() < share ? [explored] : [];
  return [...first, ...ranked.filter((way) => way !== explored || first.length === 0)].map(
    ({ candidate }) => candidate,
  );
}

/**
 * Like `order`, but inside a tier the fastest channels of late come first. A small share of the calls tries another
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
 * Like `order`, but inside a tier the channels at which the call costs least come first, and unknown costs come last.
 * The weights order channels of the same cost. A weight of 0 stays after all others of its tier.
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

/** `share`: the part of its tier's calls that tries this channel first. A disabled channel has 0. */
function withShares<C extends Candidate & { isEnabled: boolean }>(ways: C[]): (C & { share: number })[] {
  const total = ways.reduce((sum, way) => sum + way.weight, 0);
  // If all weights are 0, all shares are equal.
  const part = ({ weight }: C) => (total === 0 ? 1 / ways.length : weight / total);
  return ways
    .map((way) => ({ ...way, share: way.isEnabled ? part(way) : 0 }))
    .sort((left, right) => right.share - left.share);
}

/** The result of `order` for people: the tiers in the order in which they are tried; disabled channels come last. */
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
