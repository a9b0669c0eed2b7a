/** Simulated time in unix milliseconds. */
export type SimulatorClock = { now: () => number };

/** Time that stands still until it is told to go on. `date` fits where the gateway takes a clock. */
export type ManualClock = SimulatorClock & { advance: (ms: number) => void; date: () => Date };

export function manualClock(startMs = Date.UTC(2026, 0, 15, 4)): ManualClock {
  let now = startMs;
  return {
    now: () => now,
    date: () => new Date(now),
    advance: (ms) => {
      now += ms;
    },
  };
}

/** Time that runs `scale` times as fast as the machine's; 60 makes a minute of a second. */
export function runningClock(scale = 1): SimulatorClock {
  const startMs = Date.now();
  return { now: () => startMs + (Date.now() - startMs) * scale };
}
