/** Simulated time in unix milliseconds. */
export type SimulatorClock = { now: () => number };

/** A clock that only moves by `advance`. `date` fits the gateway's type of clock. */
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

/** A clock that runs `scale` times as fast as the machine's; with 60 a second is a minute. */
export function runningClock(scale = 1): SimulatorClock {
  const startMs = Date.now();
  return { now: () => startMs + (Date.now() - startMs) * scale };
}
