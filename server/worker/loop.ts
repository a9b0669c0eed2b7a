import { systemTimers, type Timers } from "@/server/base/clock";
import type { Log } from "@/server/base/log";

type Loop = {
  name: string;
  everyMs: number;
  pass: () => Promise<unknown>;
  /** Whether a pass may run now. One that may not is left out, and is neither a success nor a failure. */
  mayRun?: () => boolean;
  /** Called with the result of each pass. */
  onPass?: (name: string, isOk: boolean) => void;
};

/** So that a server that restarts more often than the longest pause still does that loop's work. */
const FIRST_PASS_WITHIN_MS = 10_000;

/**
 * Runs passes one after the other, with a pause between them; the first one soon, however long the pauses are. A failed
 * pass is logged and does not stop the loop. Returns a function that stops the loop and waits for the pass under way.
 */
export function startLoop(
  log: Log,
  { name, everyMs, pass, mayRun = () => true, onPass }: Loop,
  timers: Timers = systemTimers,
): () => Promise<void> {
  let isStopped = false;
  let cancel = () => {};
  let running: Promise<void> = Promise.resolve();
  /** Does not throw, although a pass may do so before its first wait. */
  const runOnce = async () => {
    if (!mayRun()) {
      return;
    }
    try {
      await pass();
      onPass?.(name, true);
    } catch (error) {
      log.warn({ err: error }, `${name} failed`);
      onPass?.(name, false);
    }
  };
  const next = (inMs: number) => {
    cancel = timers.after(inMs, () => {
      running = runOnce().then(() => {
        if (!isStopped) {
          next(everyMs);
        }
      });
    });
  };
  next(Math.min(everyMs, FIRST_PASS_WITHIN_MS));
  return async () => {
    isStopped = true;
    cancel();
    await running;
  };
}
