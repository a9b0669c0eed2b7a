import { systemTimers, type Timers } from "@/server/base/clock";
import { onSilence } from "@/server/base/deadline";
import type { EventGroup } from "@/server/protocol/sse";

type Next = IteratorResult<EventGroup, unknown>;

/** An upstream's events as the network delivers them, of which none is lost to who stops waiting for it. */
export type EventGroups = {
  /**
   * The next group, or null when it takes longer than `ms` or the wait is interrupted. Throws what the upstream broke
   * with.
   */
  next: (ms: number) => Promise<Next | null>;
  /** The clock of its waits, in milliseconds that never go backwards. */
  now: () => number;
  /** Ends the wait under way, if there is one. */
  interrupt: () => void;
};

/** One promise a group: to race what may come first, and a timer, makes several of each. */
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
        // Whoever stops waiting leaves it pending.
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
