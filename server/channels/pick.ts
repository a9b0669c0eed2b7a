/** What the choice of a channel depends on. */
type Candidate = { priority: number; weight: number };

/**
 * The order in which to try channels: the highest priority tier first, inside a tier a weighted shuffle. `random`
 * answers numbers in [0, 1). A weight of 0 is tried after all others of its tier.
 */
export function order<C extends Candidate>(candidates: readonly C[], random: () => number): C[] {
  // Each draws a key; weighted sampling without replacement is sorting by -ln(u)/weight.
  const keyed = candidates.map((candidate) => ({
    candidate,
    key: candidate.weight > 0 ? -Math.log(1 - random()) / candidate.weight : Number.MAX_VALUE,
  }));
  keyed.sort(
    (left, right) => right.candidate.priority - left.candidate.priority || left.key - right.key || 0,
  );
  return keyed.map(({ candidate }) => candidate);
}

type Tier<C> = { priority: number; ways: (C & { share: number })[] };

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
    [...new Set(ways.map(({ priority }) => priority))]
      .sort((left, right) => right - left)
      .map((priority) => ({ priority, ways: withShares(ways.filter((way) => way.priority === priority)) }));
  return [
    ...tiers(candidates.filter(({ isEnabled }) => isEnabled)),
    ...tiers(candidates.filter(({ isEnabled }) => !isEnabled)),
  ];
}
