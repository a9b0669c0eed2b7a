/** Decides whether a day's spend is far above the usual one. Pure; all amounts in nano-units. */

/** Fewer days do not show what is usual. */
export const FEWEST_DAYS = 7;

const middle = (amounts: readonly bigint[]): bigint =>
  amounts.toSorted((a, b) => (a < b ? -1 : 1))[Math.floor(amounts.length / 2)] ?? 0n;

const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a);

/**
 * Returns the median of the days before if a day's spend is far above it; null: it is not. Far above: more than three
 * times the median, and more than nine times the days' median absolute deviation above it (six standard deviations of a
 * normal distribution). Medians, so that neither an earlier peak nor a quiet weekend changes what is usual.
 */
export function usualBelow(spent: bigint, before: readonly bigint[]): bigint | null {
  const usual = middle(before);
  const spread = middle(before.map((amount) => distance(amount, usual)));
  return spent > 3n * usual && spent > usual + 9n * spread ? usual : null;
}
