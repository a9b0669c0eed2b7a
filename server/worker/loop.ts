import { systemTimers, type Timers } from "@/server/base/clock";
import type { Log } from "@/server/base/log";

type Loop = {
  name: string;
  everyMs: number;
  pass: () => Promise<unknown>;
  /** Hears how each pass ended. */
  onPass?: (name: string, isOk: boolean) => void;
};

/** A server that is restarted more often than the longest pause does what that loop is for all the same. */
const FIRST_PASS_WITHIN_MS = 10_000;

/**
 * Runs passes one after the other, with a pause between them; the first one soon, however long the pauses are. A pass
 * that fails is logged, and the next one comes all the same. The answer stops the loop and waits for the pass under
 * way.
 */
export function startLoop(
  log: Log,
  { name, everyMs, pass, onPass }: Loop,
  timers: Timers = systemTimers,
): () => Promise<void> {
  let isStopped = false;
  let cancel = () => {};
  let running: Promise<void> = Promise.resolve();
  const next = (inMs: number) => {
    cancel = timers.after(inMs, () => {
      // A pass may throw before its first wait, too.
      running = Promise.resolve()
        .then(pass)
        .then(
          () => onPass?.(name, true),
          (error: unknown) => {
            log.warn({ err: error }, `${name} failed`);
            onPass?.(name, false);
          },
        )
        .then(() => {
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
