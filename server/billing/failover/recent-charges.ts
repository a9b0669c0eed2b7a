import type { DeliveredCharge } from "../holds/settlement";

/** A standby that is further behind than this lacks charges that are not kept any more. */
export const KEEP_MS = 120_000;

/** Some 20 MB. */
const MAX_KEPT = 20_000;

/** The last charges that the database has confirmed, the oldest first. */
export type RecentCharges = {
  note: (charge: DeliveredCharge) => void;
  all: () => DeliveredCharge[];
  /** The database is the same as before: older charges can no longer be missing. */
  forgetOld: () => void;
};

/** `now`: milliseconds that never go backwards. */
export function createRecentCharges({
  now,
  max = MAX_KEPT,
}: {
  now: () => number;
  max?: number;
}): RecentCharges {
  let kept: { charge: DeliveredCharge; at: number }[] = [];
  return {
    note: (charge) => {
      kept.push({ charge, at: now() });
      // In parts, because each removal at the front moves all others.
      if (kept.length >= 2 * max) {
        kept = kept.slice(-max);
      }
    },
    all: () => kept.slice(-max).map(({ charge }) => charge),
    forgetOld: () => {
      const oldest = now() - KEEP_MS;
      const first = kept.findIndex(({ at }) => at >= oldest);
      kept = first === -1 ? [] : kept.slice(first);
    },
  };
}
