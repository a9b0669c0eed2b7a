import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { builtThread } from "@/server/base/built";
import { type Measured, unmeasured } from "@/server/protocol/sound/measure";
import type { Done, Job } from "./measure-worker";
import { asSource, bounded, createThread } from "./thread";

const HEAP_MB = 256;
/** Far more than any file takes. */
const TIMEOUT_MS = 10_000;

const ask = createThread<Job, Done>({
  start: () =>
    builtThread("server/gateway/measure-worker", bounded(HEAP_MB)) ??
    new Worker(join(process.cwd(), "server/gateway/measure-worker.ts"), asSource(HEAP_MB)),
  timeoutMs: TIMEOUT_MS,
});

/**
 * How much sound there is in a file. A copy goes to the thread: a file that it dies of is still there to be sent.
 */
export async function measureInThread(file: Uint8Array): Promise<Measured> {
  const own = new Uint8Array(file);
  try {
    return await ask({ file: own }, own.buffer);
  } catch {
    // It has died of this file, which may be right all the same: its length is not known.
    return unmeasured(file.byteLength);
  }
}
