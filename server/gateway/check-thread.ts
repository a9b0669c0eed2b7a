import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { GatewayError } from "@/server/errors";
import type { Done, Job } from "./check-worker";
import type { KindName } from "./request-kinds";

/** Far more than the largest body takes; beyond it the thread dies, and not the process. */
const HEAP_MB = 1_024;
/** A body of 32 MB takes half a second, and as many wait as the budget of bytes lets in. */
const TIMEOUT_MS = 30_000;
/** After so long without work the thread goes, and its memory with it. */
const IDLE_MS = 10_000;

type Waiting = { resolve: (done: Done) => void; reject: (reason: unknown) => void };
type Thread = { run: (name: KindName, body: Uint8Array<ArrayBuffer>) => Promise<Done> };

const lost = (cause: unknown) => new GatewayError("unavailable", "", { cause });

/** Runs the source as it lies there, as the embedding model's thread does: `dist/`, Next and the tests all find it so. */
function startThread(onGone: () => void): Thread {
  const hooks = pathToFileURL(join(process.cwd(), "server/module-paths.mjs")).href;
  const worker = new Worker(join(process.cwd(), "server/gateway/check-worker.ts"), {
    execArgv: ["--disable-warning=ExperimentalWarning", "--import", hooks],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const waiting = new Map<number, Waiting>();
  let serial = 0;
  let timer: NodeJS.Timeout | undefined;
  let death: unknown = new Error("it did not answer in time");

  const stop = () => {
    onGone();
    void worker.terminate();
  };
  /** Until the next answer while there is work, and until the next job while there is none. */
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, waiting.size > 0 ? TIMEOUT_MS : IDLE_MS).unref();
  };
  worker.on("message", (done: Done) => {
    waiting.get(done.id)?.resolve(done);
    waiting.delete(done.id);
    wait();
  });
  worker.on("error", (error) => {
    death = error;
  });
  worker.on("exit", () => {
    clearTimeout(timer);
    onGone();
    for (const { reject } of waiting.values()) {
      reject(lost(death));
    }
    waiting.clear();
  });
  worker.unref();

  return {
    run: (name, body) =>
      new Promise((resolve, reject) => {
        const id = serial++;
        waiting.set(id, { resolve, reject });
        worker.postMessage({ id, name, body } satisfies Job, [body.buffer]);
        if (waiting.size === 1) {
          // The others wait for the one before them: they must not prolong the life of a thread that hangs.
          wait();
        }
      }),
  };
}

let thread: Thread | null = null;

/**
 * Parses a body off the event loop. Answers what is known of it and gives the body back, which is the thread's in between.
 * Throws the 400s that parsing throws, and 503 when the thread has died.
 */
export async function checkInThread<Known>(
  name: KindName,
  body: Buffer,
): Promise<{ known: Known; body: Buffer }> {
  if (thread === null) {
    const started = startThread(() => {
      thread = thread === started ? null : thread;
    });
    thread = started;
  }
  // Of its own memory: a pooled buffer cannot be handed over.
  const own = body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength;
  const bytes = own ? new Uint8Array(body.buffer as ArrayBuffer) : new Uint8Array(body);
  const done = await thread.run(name, bytes);
  if ("refusal" in done) {
    throw GatewayError.from(done.refusal);
  }
  return { known: done.known as Known, body: Buffer.from(done.body.buffer) };
}
