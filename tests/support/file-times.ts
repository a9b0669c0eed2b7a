/**
 * The milliseconds of a test file outside its tests, and of its process's processor time; `npm test` prints them
 * (scripts/test-times.mjs).
 */
export type OverheadTimes = {
  processor: number;
  database: number;
  gateway: number;
  server: number;
  polls: number;
  sleeps: number;
};

export const NOTHING: OverheadTimes = {
  processor: 0,
  database: 0,
  gateway: 0,
  server: 0,
  polls: 0,
  sleeps: 0,
};

let overhead = { ...NOTHING };
let usedBefore = process.cpuUsage();

export function noteTime(what: keyof OverheadTimes, ms: number): void {
  overhead[what] += ms;
}

/** Runs `act` and adds its time to `what`. */
export async function timed<Result>(what: keyof OverheadTimes, act: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await act();
  } finally {
    noteTime(what, performance.now() - startedAt);
  }
}

/** The time spent since the last call. */
export function takeTimes(): OverheadTimes {
  const { user, system } = process.cpuUsage(usedBefore);
  const times = { ...overhead, processor: (user + system) / 1_000 };
  usedBefore = process.cpuUsage();
  overhead = { ...NOTHING };
  return times;
}
