/** Latencies counted in buckets, each a quarter wider than the one before: enough for a median, and cheap to add up. */

/** The start of the first bucket with a latency, in milliseconds; shorter ones are in it too. */
const FIRST_MS = 10;
const RATIO = 1.25;
/** It begins at ten minutes; longer latencies are in it too. */
const LAST = 50;

/** Calls that failed for no fault of their client. */
export const FAILED = -1;
/** Calls that ended well and whose latency says nothing, such as an answer that was not streamed. */
export const UNTIMED = 0;

export const bucketOf = (ms: number): number =>
  Math.min(LAST, 1 + Math.max(0, Math.floor(Math.log(ms / FIRST_MS) / Math.log(RATIO))));

const startOf = (bucket: number) => FIRST_MS * RATIO ** (bucket - 1);

/** The median of the latencies in the buckets, in whole milliseconds, to some percent. null: there are none. */
export function medianOf(counts: ReadonlyMap<number, number>): number | null {
  const timed = [...counts].filter(([bucket]) => bucket > UNTIMED).toSorted(([a], [b]) => a - b);
  let left = timed.reduce((sum, [, calls]) => sum + calls, 0) / 2;
  for (const [bucket, calls] of timed) {
    if (left <= calls) {
      return Math.round(startOf(bucket) * RATIO ** (left / calls));
    }
    left -= calls;
  }
  return null;
}
