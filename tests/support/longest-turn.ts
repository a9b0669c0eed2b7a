import { collectGarbage } from "./collect-garbage";
import { cpuTimeMs } from "./cpu-time";
import { watchCollections } from "./work-time";

/** Two short turns within this time count as one. */
const LOOK_EVERY_MS = 1;

/**
 * The longest turn of this thread's event loop during some work, in the thread's processor time without V8's
 * collections, so that neither a busy machine nor the heap of a worker counts.
 */
export async function longestTurnOf<T>(work: () => Promise<T>): Promise<{ result: T; longestMs: number }> {
  // Otherwise V8 would collect the bodies of earlier tests, hundreds of megabytes, during the work.
  collectGarbage();
  const collections = watchCollections();
  const turns: { from: number; to: number; cpuMs: number }[] = [];
  let last = { at: performance.now(), cpuMs: cpuTimeMs() };
  const endTurn = () => {
    const now = { at: performance.now(), cpuMs: cpuTimeMs() };
    turns.push({ from: last.at, to: now.at, cpuMs: now.cpuMs - last.cpuMs });
    last = now;
  };
  const timer = setInterval(endTurn, LOOK_EVERY_MS);
  try {
    const result = await work();
    // The turn in which the work ends counts too.
    endTurn();
    clearInterval(timer);
    await collections.end();
    return { result, longestMs: turns.reduce((most, turn) => Math.max(most, collections.msOf(turn)), 0) };
  } finally {
    clearInterval(timer);
  }
}
