/** Decides whether an account's day of spending is far above its usual one. Pure; all amounts in nano-units. */

/** Fewer days do not show what is usual. */
const FEWEST_DAYS = 7;

const middle = (amounts: bigint[]): bigint =>
  amounts.toSorted((a, b) => (a < b ? -1 : 1))[Math.floor(amounts.length / 2)] ?? 0n;

const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a);

/** `spent` in the last 24 hours; `before`: in each 24 hours before them; `money`: of the month, quota and top-ups. */
type Days = { spent: bigint; before: bigint[]; money: bigint };

/**
 * Returns the usual spend of a day if the last day is far above it; null: it is not, or too little is known. Far above:
 * more than three times the median of the days before, more than nine times their median absolute deviation above it
 * (six standard deviations of a normal distribution), and more than a thirtieth of the month's money. Medians, so that
 * neither an earlier peak nor a quiet weekend changes what is usual; the thirtieth, so that an account with few calls
 * raises no alarm.
 */
export function anomalyOf({ spent, before, money }: Days): { usual: bigint } | null {
  if (before.length < FEWEST_DAYS) {
    return null;
  }
  const usual = middle(before);
  const spread = middle(before.map((amount) => distance(amount, usual)));
  const isFar = spent > 3n * usual && spent > usual + 9n * spread && spent * 30n > money;
  return isFar ? { usual } : null;
}
