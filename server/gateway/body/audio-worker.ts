import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { builtThread } from "@/server/base/built";
import { type SoundMeasure, unmeasured } from "@/server/protocol/sound/measure";
import type { MeasureJob, MeasureResult } from "./measure-worker";
import { asSource, bounded, createThread } from "./worker-thread";

const HEAP_MB = 256;
/** Far more than any file needs. */
const TIMEOUT_MS = 10_000;

const ask = createThread<MeasureJob, MeasureResult>({
  start: () =>
    builtThread("server/gateway/body/measure-worker", bounded(HEAP_MB)) ??
    new Worker(join(process.cwd(), "server/gateway/body/measure-worker.ts"), asSource(HEAP_MB)),
  timeoutMs: TIMEOUT_MS,
});

/** Measures the sound in a file. The thread gets a copy: if it dies on the file, the file can still be sent. */
export async function measureInThread(file: Uint8Array): Promise<SoundMeasure> {
  const own = new Uint8Array(file);
  try {
    return await ask({ file: own }, own.buffer);
  } catch {
    // The thread died on this file, which may be valid all the same: its length is unknown.
    return unmeasured(file.byteLength);
  }
}
