import { PerformanceObserver } from "node:perf_hooks";
import { cpuTimeMs } from "./cpu-time";

/** A piece of this thread's work: by the clock, and in processor time. */
type Work = { from: number; to: number; cpuMs: number };

/**
 * Watches V8's collections in this thread. `msOf`: the processor time of some work without them. `end` is called before
 * it, and waits until Node has reported the last ones.
 *
 * A worker of the tests keeps the modules and gateways of many files. To collect such a heap takes 40 to 65 ms, in
 * whatever work it falls; a gateway's own heap is a tenth of it.
 */
export function watchCollections(): { end: () => Promise<void>; msOf: (work: Work) => number } {
  const collections: { from: number; to: number }[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      collections.push({ from: startTime, to: startTime + duration });
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return {
    end: async () => {
      // Node reports collections in a turn of their own.
      await new Promise((resolve) => setTimeout(resolve, 2));
      observer.disconnect();
    },
    msOf: ({ from, to, cpuMs }) =>
      collections.reduce(
        (rest, span) => rest - Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)),
        cpuMs,
      ),
  };
}

/** The longest step of some work, in milliseconds of processor time without V8's collections. */
export async function longestStepMs(steps: Iterator<unknown>): Promise<number> {
  const collections = watchCollections();
  const works: Work[] = [];
  for (let isOver = false; !isOver; ) {
    const [from, began] = [performance.now(), cpuTimeMs()];
    isOver = steps.next().done === true;
    works.push({ from, to: performance.now(), cpuMs: cpuTimeMs() - began });
  }
  await collections.end();
  return works.reduce((longest, work) => Math.max(longest, collections.msOf(work)), 0);
}

/** A function's result, and its processor time in milliseconds without V8's collections. */
export async function timed<T>(work: () => T): Promise<{ result: T; ms: number }> {
  let result: T | undefined;
  const next = () => {
    result = work();
    return { done: true, value: undefined };
  };
  const ms = await longestStepMs({ next });
  return { result: result as T, ms };
}
