import { systemTimers, type Timers } from "@/server/base/clock";
import { onSilence } from "@/server/base/deadline";
import type { EventGroup } from "@/server/protocol/answers/sse";

type Next = IteratorResult<EventGroup, unknown>;

/** An upstream's events as the network delivers them. A reader that stops waiting loses none. */
export type EventGroups = {
  /**
   * Returns the next group, or null if it takes longer than `ms` or the wait is interrupted. Throws the upstream's
   * error.
   */
  next: (ms: number) => Promise<Next | null>;
  /** The monotonic clock of the waits, in milliseconds. */
  now: () => number;
  /** Ends the wait under way, if there is one. */
  interrupt: () => void;
};

/** Uses one promise for each group: a race between a group, a timer and an interrupt would make several. */
export function createEventGroups(
  groups: AsyncIterator<EventGroup>,
  timers: Timers = systemTimers,
): EventGroups {
  let pending: Promise<Next> | null = null;
  let interrupt = () => {};
  return {
    now: timers.now,
    next: (ms) =>
      new Promise((resolve, reject) => {
        pending ??= groups.next();
        let isOver = false;
        const end = (settle: () => void) => {
          if (!isOver) {
            isOver = true;
            stopTimer();
            settle();
          }
        };
        const stopWaiting = () => end(() => resolve(null));
        const stopTimer = onSilence(Math.max(0, ms), stopWaiting, timers);
        interrupt = stopWaiting;
        // A reader that stops waiting leaves it pending.
        pending.then(
          (next) =>
            end(() => {
              pending = null;
              resolve(next);
            }),
          (error: unknown) => end(() => reject(error)),
        );
      }),
    interrupt: () => interrupt(),
  };
}
