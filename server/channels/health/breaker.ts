/**
 * A breaker, pure: it opens after five counted faults in a row, and after ten seconds one call at a time probes the
 * channel. Times are milliseconds of a clock that never goes back.
 */

export const FAULTS_TO_OPEN = 5;
export const OPEN_MS = 10_000;

/**
 * `faults`: counted faults in a row. `openSince`: when it left the closed state; null: it is closed. `openedAt`: when it
 * opened or a probe failed. `isProbed`: a probe is under way.
 */
export type Breaker = { faults: number; openSince: number | null; openedAt: number; isProbed: boolean };

export const CLOSED: Breaker = { faults: 0, openSince: null, openedAt: 0, isProbed: false };

/** `half_open`: the next call is a probe, or one is under way. */
export type BreakerState = "closed" | "open" | "half_open";

export function breakerState(breaker: Breaker, now: number): BreakerState {
  if (breaker.openSince === null) {
    return "closed";
  }
  return !breaker.isProbed && now < breaker.openedAt + OPEN_MS ? "open" : "half_open";
}

/** How long until the next probe. null: the breaker is closed, or a probe is under way. */
export const opensInMs = ({ openSince, openedAt, isProbed }: Breaker, now: number): number | null =>
  openSince === null || isProbed ? null : Math.max(0, Math.ceil(openedAt + OPEN_MS - now));

/** Opens the breaker. */
export const open = ({ openSince }: Breaker, now: number): Breaker => ({
  faults: 0,
  openSince: openSince ?? now,
  openedAt: now,
  isProbed: false,
});

/** Marks a probe as under way. */
export const probe = (breaker: Breaker): Breaker =>
  breaker.openSince === null ? breaker : { ...breaker, isProbed: true };

/**
 * An attempt's evidence about the channel. `answer`: the channel works, but the attempt ends no series of faults.
 * `nothing`: the client left, so there is no evidence.
 */
export type Evidence = "success" | "answer" | "fault" | "nothing";

/** `isCounted`: a repeat, or an attempt during another call's probe, opens and closes nothing. */
type Test = { now: number; beganAt: number; isCounted: boolean; isProbe: boolean };

/** Only the probe decides. Without one, so does an attempt of another process that began after this breaker opened. */
const decides = (breaker: Breaker, { now, beganAt, isCounted, isProbe }: Test): boolean =>
  breaker.isProbed
    ? isProbe
    : isCounted && breakerState(breaker, now) === "half_open" && beganAt >= breaker.openedAt;

/** The breaker after an attempt. Returns the same breaker if the attempt changes nothing. */
export function applyEvidence(breaker: Breaker, evidence: Evidence, test: Test): Breaker {
  if (breaker.openSince === null) {
    if (evidence === "success") {
      return breaker.faults === 0 ? breaker : CLOSED;
    }
    if (evidence !== "fault") {
      return breaker;
    }
    const faults = breaker.faults + 1;
    return faults >= FAULTS_TO_OPEN ? open(breaker, test.now) : { ...breaker, faults };
  }
  if (!decides(breaker, test)) {
    return breaker;
  }
  if (evidence === "nothing") {
    // An abandoned probe proves nothing.
    return test.isProbe ? open(breaker, test.now) : breaker;
  }
  return evidence === "fault" ? open(breaker, test.now) : CLOSED;
}
