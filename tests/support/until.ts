import { readFileSync } from "node:fs";
import { availableParallelism, platform } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { noteTime } from "./file-times";

/**
 * The pause between two checks: short at first, because most conditions hold in a moment. Later it grows to a fiftieth
 * of the wait, so that checking a server for a minute does not keep a processor busy.
 */
const USUAL_PAUSE_MS = 20;
const SHARE_OF_WAIT = 1 / 50;
export const PATIENCE_MS = 10_000;

/** For programs that a test starts: the clock runs on while a busy machine does other work, so this only ends a hanging one. */
export const HANGS_MS = 300_000;

/**
 * The share of a processor that a busy thread gets at this moment: 1 on a quiet machine, a quarter if eight threads
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

class OutOfPatience extends Error {}

/**
 * Waits until `check` is true. Checks every 20 ms, at first more often and after a second less often. `patienceMs` is
 * processor time, including that of the checks: on a machine that is busy with something else it lasts longer than the
 * clock's. Throws when it is over, or when `check` throws.
 */
export async function until(
  check: () => Promise<boolean> | boolean,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const startedAt = performance.now();
  let [lookedAt, spentMs, pauseMs] = [startedAt, 0, 1];
  try {
    while (!(await check())) {
      const now = performance.now();
      spentMs += (now - lookedAt) * processorShare();
      lookedAt = now;
      if (spentMs > patienceMs) {
        const elapsedMs = Math.round(now - startedAt);
        throw new OutOfPatience(
          `not within ${patienceMs} ms of processor time (${elapsedMs} ms by the clock)`,
        );
      }
      await wait(pauseMs);
      pauseMs = Math.min(2 * pauseMs, Math.max(USUAL_PAUSE_MS, (now - startedAt) * SHARE_OF_WAIT));
    }
  } finally {
    noteTime("polls", performance.now() - startedAt);
  }
}

const TICK_MS = 20;

/**
 * A clock of the processor time that the machine gave a busy thread, for durations that must have a bound on a busy
 * machine too: `read` returns milliseconds, `stop` ends its timer.
 */
export function processorClock(): { read: () => number; stop: () => void } {
  let [lookedAt, spentMs] = [performance.now(), 0];
  const look = () => {
    const now = performance.now();
    spentMs += (now - lookedAt) * processorShare();
    lookedAt = now;
  };
  const timer = setInterval(look, TICK_MS);
  return {
    read: () => {
      look();
      return spentMs;
    },
    stop: () => clearInterval(timer),
  };
}

/** Waits for work that must not hang. Throws if it is not over within `patienceMs` of processor time. */
export async function withPatience<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  const clock = processorClock();
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      if (clock.read() > patienceMs) {
        reject(new OutOfPatience(`not over within ${patienceMs} ms of processor time`));
      }
    }, TICK_MS);
  });
  try {
    return await Promise.race([work, hung]);
  } finally {
    clearInterval(timer);
    clock.stop();
  }
}

/** Whether an error of `until` says that its patience is over. */
export const isOver = (error: unknown): boolean => error instanceof OutOfPatience;

/** A fixed wait, for a guarantee that is about time itself. */
export async function sleep(ms: number): Promise<void> {
  await wait(ms);
  noteTime("sleeps", ms);
}
