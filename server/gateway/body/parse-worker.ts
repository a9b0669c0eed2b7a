import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { builtThread } from "@/server/base/built";
import { GatewayError } from "@/server/base/errors";
import type { KindName } from "../pipeline/request-kinds";
import type { CheckJob, CheckResult } from "./check-worker";
import { asSource, bounded, createThread } from "./worker-thread";

/** Far more than the largest body needs. Beyond it the thread dies, and not the process. */
const HEAP_MB = 1_024;
/** A body of 32 MB takes half a second. */
const TIMEOUT_MS = 30_000;

/** `isNamed`: the facts are those of the body with the address's model. */
type Checked<Known> = { facts: Known; body: Buffer; isNamed: boolean };

type CheckThread = {
  /**
   * Parses a body off the event loop. Returns its facts, and gives the body back, which belongs to the thread
   * meanwhile. Throws the 400s of parsing, and 503 if the thread died on this body.
   */
  check: <Known>(name: KindName, body: Buffer, model?: string | null) => Promise<Checked<Known>>;
};

/** Returns the bytes in a separate buffer, which can be transferred: a pooled buffer cannot be. */
const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const isOwn = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
  return isOwn ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes);
};

export function createCheckThread({ heapMb = HEAP_MB } = {}): CheckThread {
  const ask = createThread<CheckJob, CheckResult>({
    start: () =>
      builtThread("server/gateway/body/check-worker", bounded(heapMb)) ??
      new Worker(join(process.cwd(), "server/gateway/body/check-worker.ts"), asSource(heapMb)),
    timeoutMs: TIMEOUT_MS,
  });
  return {
    check: async <Known>(name: KindName, body: Buffer, model: string | null = null) => {
      const own = ownBytes(body);
      const done = await ask({ name, body: own, model }, own.buffer);
      if ("refusal" in done) {
        throw GatewayError.from(done.refusal);
      }
      const { isNamed } = done;
      return { facts: done.facts as Known, body: Buffer.from(done.body.buffer), isNamed };
    },
  };
}

/** The check thread of this process. */
export const { check: checkInThread } = createCheckThread();
