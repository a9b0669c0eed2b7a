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
