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
    key: candidate.weight > 0 ? -Math.log(1 - random()) / candidate.weight : Number.POSITIVE_INFINITY,
  }));
  keyed.sort((left, right) => right.candidate.priority - left.candidate.priority || compare(left.key, right.key));
  return keyed.map(({ candidate }) => candidate);
}

const compare = (left: number, right: number) => (left === right ? 0 : left < right ? -1 : 1);
