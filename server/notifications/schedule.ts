const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Pauses after each failed attempt: ten attempts within about three days, as Standard Webhooks advises. */
const PAUSES_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const MOST_MS = 24 * HOUR;

/**
 * The pause after attempt number `attempts`; null: that was the last. `retryAfterMs`: requested by the receiver.
 * `random`: 0 to 1, so that deliveries that failed together are not repeated together.
 */
export function pauseAfter(attempts: number, { retryAfterMs = 0, random = 0 } = {}): number | null {
  const pause = PAUSES_MS[attempts - 1];
  return pause === undefined ? null : Math.min(Math.max(pause * (1 + random / 5), retryAfterMs), MOST_MS);
}
