/** Time as an argument, so that a test can stand at a month's end. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/**
 * A smaller lead of the clock is none: it tells whole milliseconds, and is slewed. What it is ahead by adds up until it
 * is more.
 */
const PAUSE_MS = 1_000;

/** Milliseconds that never go backwards, and go on while the process, or its whole machine, stands still. */
export function createStopwatch(): () => number {
  let lead = Date.now() - performance.now();
  let pausedMs = 0;
  return () => {
    // It stands still with the machine, which the clock does not.
    const steady = performance.now();
    const ahead = Date.now() - steady - lead;
    if (ahead < 0 || ahead > PAUSE_MS) {
      lead += ahead;
      pausedMs += Math.max(0, ahead);
    }
    return steady + pausedMs;
  };
}

/** The one of this process: moments of it can be compared wherever they were taken. */
export const stopwatch = createStopwatch();

/** Time as a process counts it, and what is done once some of it has passed. An argument, so that a test can step it. */
export type Timers = {
  /** Milliseconds that never go backwards. */
  now: () => number;
  /** Like `now`, but it also counts the time for which the machine was suspended. */
  stopwatch: () => number;
  /** Calls `act` after `ms`, unless the function that it returns is called before. */
  after: (ms: number, act: () => void) => () => void;
};

export const systemTimers: Timers = {
  now: () => performance.now(),
  stopwatch,
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** Ends after `ms`, or as soon as the signal is aborted. */
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
