/** When a channel fails, pure. */

/**
 * A channel's newest attempts that say something of it (what its client ended or got wrong does not), within some
 * minutes. `since`: when the first fault after its last success began, or the first at all; null: there is none.
 */
export type Lately = { attempts: number; failed: number; since: Date | null };

/** Fewer faults are bad luck. */
const FEWEST_FAULTS = 5;

/**
 * Half of them failed: it fails. A tenth at most: it does not. Between the two, and where nothing was tried, it is as it
 * was: nobody is told twice a minute of a channel that is now and then well.
 */
export function isFailing({ attempts, failed }: Lately, wasFailing: boolean): boolean {
  if (failed >= FEWEST_FAULTS && failed * 2 >= attempts) {
    return true;
  }
  return wasFailing && !(attempts > 0 && failed * 10 <= attempts);
}
