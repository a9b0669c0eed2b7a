/**
 * A hashed timing wheel (Varghese and Lauck, scheme 6): deadlines wait in slots by their moment, and one timer visits
 * the slots in turn. Nearly every deadline of a call is cancelled long before it passes, so a call should not pay for
 * one timer with each of them.
 */

/** Calls `act` after `ms`, unless the returned function is called first. */
type After = (ms: number, act: () => void) => () => void;

/** A deadline passes up to two ticks late, and never early. */
export const TICK_MS = 50;

/** A shorter wait gets its own timer, which is exact. */
export const EXACT_BELOW_MS = 1_000;

/** The slots are a ring of 25.6 seconds. A later deadline stays in its slot for several rounds. */
const SLOTS = 512;

/**
 * `due`: the tick, counted from the clock's zero, at which the deadline has passed. `act`: null once it has passed, or is
 * cancelled. A set that grows leaves its old table behind, in old memory: until the next full collection that table
 * keeps the deadlines in it, and without this also their calls (decision 92).
 */
type Deadline = { due: number; act: (() => void) | null };

/**
 * Returns `after` with one timer for all long waits. The timer runs only while a deadline waits. `now`: milliseconds that
 * never go backwards.
 */
export function createTimerWheel({ now, after }: { now: () => number; after: After }): After {
  const slots = Array.from({ length: SLOTS }, () => new Set<Deadline>());
  let waiting = 0;
  let isTicking = false;
  /** The last tick whose slot was visited. */
  let visited = 0;

  const slotOf = (tick: number) => slots[tick % SLOTS] as Set<Deadline>;
  const ticksAt = (ms: number) => Math.floor(ms / TICK_MS);

  function remove(deadline: Deadline): void {
    if (slotOf(deadline.due).delete(deadline)) {
      waiting--;
    }
    deadline.act = null;
  }

  function tick(): void {
    isTicking = waiting > 0;
    if (isTicking) {
      after(TICK_MS, tick);
    }
    const present = ticksAt(now());
    // After a pause that is longer than a round, one round visits every slot.
    const first = Math.max(visited + 1, present - SLOTS + 1);
    visited = present;
    for (let passed = first; passed <= present; passed++) {
      for (const deadline of slotOf(passed)) {
        if (deadline.due <= present) {
          const { act } = deadline;
          remove(deadline);
          act?.();
        }
      }
    }
  }

  return (ms, act) => {
    if (ms < EXACT_BELOW_MS) {
      return after(ms, act);
    }
    if (!isTicking) {
      isTicking = true;
      visited = ticksAt(now());
      after(TICK_MS, tick);
    }
    const deadline: Deadline = { due: ticksAt(now() + ms) + 1, act };
    slotOf(deadline.due).add(deadline);
    waiting++;
    return () => remove(deadline);
  };
}
