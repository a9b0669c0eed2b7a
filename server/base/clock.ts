import { createTimerWheel } from "./timer-wheel";

/** The clock is an argument, so that a test can be at a month's end. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/**
 * A smaller lead of the clock is not a pause: the clock has whole milliseconds and is slewed. Smaller leads add up
 * until they exceed this.
 */
const PAUSE_MS = 1_000;

/**
 * Returns milliseconds that never go backwards, and that advance while the process, or its whole machine, stands still.
 */
export function createStopwatch(): () => number {
  let lead = Date.now() - performance.now();
  let pausedMs = 0;
  return () => {
    // `performance.now()` stands still with the machine; the clock does not.
    const steady = performance.now();
    const ahead = Date.now() - steady - lead;
    if (ahead < 0 || ahead > PAUSE_MS) {
      lead += ahead;
      pausedMs += Math.max(0, ahead);
    }
    return steady + pausedMs;
  };
}

/** The stopwatch of this process: all its readings are comparable. */
export const stopwatch = createStopwatch();

/** The time of a process, and its timers. An argument, so that a test can advance it. */
export type Timers = {
  /** Milliseconds that never go backwards. */
  now: () => number;
  /** Like `now`, but it also counts the time for which the machine was suspended. */
  stopwatch: () => number;
  /** Calls `act` after `ms`, unless the returned function is called first. */
  after: (ms: number, act: () => void) => () => void;
  /**
   * Like `after`, for deadlines, of which nearly all are cancelled: they share one timer. Acts up to a tenth of a second
   * late if `ms` is a second or more.
   */
  deadline: Timers["after"];
};

const exact: Pick<Timers, "now" | "after"> = {
  now: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * The timers of this moment. All deadlines of a process share one wheel, so a test with fake timers must not take a tick
 * of it along: every later deadline would wait for ever.
 */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;
const steadyNow = performance.now.bind(performance);

const deadline = createTimerWheel({
  now: steadyNow,
  after: (ms, act) => {
    const timer = startTimer(act, ms);
    return () => stopTimer(timer);
  },
});

export const systemTimers: Timers = { ...exact, stopwatch, deadline };

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function sleep(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    return;
  }
  const isOver = new AbortController();
  await new Promise<void>((resolve) => {
    const cancel = timers.after(ms, resolve);
    const stop = () => {
      cancel();
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true, signal: isOver.signal });
  });
  isOver.abort();
}
