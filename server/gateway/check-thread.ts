import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { builtThread } from "@/server/base/built";
import { GatewayError } from "@/server/base/errors";
import type { Done, Job } from "./check-worker";
import type { KindName } from "./request-kinds";

/** Far more than the largest body takes; beyond it the thread dies, and not the process. */
const HEAP_MB = 1_024;
/** A body of 32 MB takes half a second. */
const TIMEOUT_MS = 30_000;
/** After so long without work the thread goes, and its memory with it. */
const IDLE_MS = 10_000;

/** `isNamed`: what is known is of the body with the model of its address. */
type Checked<Known> = { known: Known; body: Buffer; isNamed: boolean };

type CheckThread = {
  /**
   * Parses a body off the event loop. Answers what is known of it and gives the body back, which is the thread's in
   * between. Throws the 400s that parsing throws, and 503 when the thread has died of this body.
   */
  check: <Known>(name: KindName, body: Buffer, model?: string | null) => Promise<Checked<Known>>;
};

type Waiting = { job: Job; resolve: (done: Done) => void; reject: (reason: unknown) => void };

/** Where nothing has been built it runs the source as it lies there: Next and the tests find it so. */
function startWorker(heapMb: number): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: heapMb };
  const built = builtThread("server/gateway/check-worker", { resourceLimits });
  if (built !== null) {
    built.unref();
    return built;
  }
  const hooks = pathToFileURL(join(process.cwd(), "server/gateway/module-paths.mjs")).href;
  const worker = new Worker(join(process.cwd(), "server/gateway/check-worker.ts"), {
    execArgv: ["--disable-warning=ExperimentalWarning", "--import", hooks],
    resourceLimits,
  });
  worker.unref();
  return worker;
}

/**
 * One thread, started when there is work. It has one body at a time, and the others wait here: one that it dies of
 * takes none of them with it, and they go to the next thread.
 */
export function createCheckThread({ heapMb = HEAP_MB } = {}): CheckThread {
  const queue: Waiting[] = [];
  let current: Waiting | null = null;
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;

  function open(): Worker {
    const started = startWorker(heapMb);
    let death: unknown = new Error("it ended");
    started.on("message", (done: Done) => {
      if (worker === started) {
        current?.resolve(done);
        current = null;
        goOn();
      }
    });
    started.on("error", (error) => {
      death = error;
    });
    started.on("exit", () => {
      if (worker === started) {
        lose(death);
      }
    });
    return started;
  }

  /** Ends the thread, and with it the body that it has. */
  function lose(cause: unknown): void {
    void worker?.terminate();
    worker = null;
    current?.reject(new GatewayError("unavailable", "", { cause }));
    current = null;
    goOn();
  }

  function goOn(): void {
    if (current !== null) {
      return;
    }
    clearTimeout(timer);
    current = queue.shift() ?? null;
    if (current !== null) {
      worker ??= open();
    }
    if (worker !== null) {
      const ms = current === null ? IDLE_MS : TIMEOUT_MS;
      timer = setTimeout(() => lose(new Error("it did not answer in time")), ms).unref();
    }
    if (current !== null) {
      worker?.postMessage(current.job, [current.job.body.buffer as ArrayBuffer]);
    }
  }

  return {
    check: async <Known>(name: KindName, body: Buffer, model: string | null = null) => {
      // Of its own memory: a pooled buffer cannot be handed over.
      const own = body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength;
      const bytes = own ? new Uint8Array(body.buffer as ArrayBuffer) : new Uint8Array(body);
      const done = await new Promise<Done>((resolve, reject) => {
        queue.push({ job: { name, body: bytes, model }, resolve, reject });
        goOn();
      });
      if ("refusal" in done) {
        throw GatewayError.from(done.refusal);
      }
      const { isNamed } = done;
      return { known: done.known as Known, body: Buffer.from(done.body.buffer), isNamed };
    },
  };
}

/** The process's. */
export const { check: checkInThread } = createCheckThread();
