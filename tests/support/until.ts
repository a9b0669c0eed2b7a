import { readFileSync } from "node:fs";
import { availableParallelism, platform } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { noteTime } from "./spent";

/** Between two looks: short at first, for most of what is awaited is there in a moment. */
const LONGEST_PAUSE_MS = 20;
export const PATIENCE_MS = 10_000;

/**
 * The share of a processor that a busy thread gets at this moment: 1 on a quiet machine, a quarter where eight threads
 * compete for two processors. Outside Linux always 1.
 */
function processorShare(): number {
  if (platform() !== "linux") {
    return 1;
  }
  // "0.52 0.61 0.55 3/845 9134": three threads run or wait for a processor.
  const [, runnable = "1"] = / (\d+)\//.exec(readFileSync("/proc/loadavg", "utf8")) ?? [];
  return Math.min(1, availableParallelism() / Number(runnable));
}

/** Waits a moment; returns the milliseconds of processor time that this machine could give a thread meanwhile. */
async function pause(ms: number): Promise<number> {
  const startedAt = performance.now();
  await wait(ms);
  return (performance.now() - startedAt) * processorShare();
}

/**
 * Waits until `check` holds and looks every 20 ms, at first more often. `patienceMs` is processor time: on a machine that is busy with
 * something else it lasts longer than the clock's. Throws when it is over, or when `check` throws.
 */
export async function until(
  check: () => Promise<boolean> | boolean,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const startedAt = performance.now();
  try {
    let pauseMs = 1;
    for (let spentMs = 0; !(await check()); spentMs += await pause(pauseMs)) {
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      if (spentMs > patienceMs) {
        const elapsedMs = Math.round(performance.now() - startedAt);
        throw new Error(`not within ${patienceMs} ms of processor time (${elapsedMs} ms by the clock)`);
      }
    }
  } finally {
    noteTime("polls", performance.now() - startedAt);
  }
}

/** A fixed wait, for a guarantee that is about time itself. */
export async function sleep(ms: number): Promise<void> {
  await wait(ms);
  noteTime("sleeps", ms);
}
