/** Before anything is known of a run, a task looks this far. */
const QUEUED = 5;
const MOST = 95;
/** Usual run of the default models (vendor: one to five minutes). */
const EXPECTED_MS = 120_000;

/**
 * Progress for vendors who give none: towards 95 as time goes by, fast at first. The caller keeps it from falling;
 * 100 is for completion only.
 */
export function guessProgress(run: { elapsedMs: number; isQueued: boolean }): number {
  if (run.isQueued) {
    return Math.min(QUEUED, Math.floor(run.elapsedMs / 12_000));
  }
  return Math.floor(QUEUED + (MOST - QUEUED) * (1 - Math.exp(-Math.max(0, run.elapsedMs) / EXPECTED_MS)));
}
