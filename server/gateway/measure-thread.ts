import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { builtThread } from "@/server/base/built";
import type { Done, Job } from "./measure-worker";
import { asSource, bounded, createThread } from "./thread";

const HEAP_MB = 256;
/** An hour of MP3 without a header that says so takes a second. */
const TIMEOUT_MS = 10_000;

const ask = createThread<Job, Done>({
  start: () =>
    builtThread("server/gateway/measure-worker", bounded(HEAP_MB)) ??
    new Worker(join(process.cwd(), "server/gateway/measure-worker.ts"), asSource(HEAP_MB)),
  timeoutMs: TIMEOUT_MS,
});

/**
 * How long a file of sound is, in seconds; null where it does not say, or nobody can read it. A copy goes to the
 * thread: a file that it dies of is still there to be sent.
 */
export async function measureInThread(file: Uint8Array): Promise<number | null> {
  const own = new Uint8Array(file);
  try {
    const { seconds } = await ask({ file: own }, own.buffer);
    return seconds;
  } catch {
    // It has died of this file, which may be right all the same: its length is not known.
    return null;
  }
}
