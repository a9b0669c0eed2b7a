import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Worker, WorkerOptions } from "node:worker_threads";
import { GatewayError } from "@/server/base/errors";

/** A thread without work ends after this long, which frees its memory. */
const IDLE_MS = 10_000;

/** `timeoutMs`: for one job; after it the thread is given up. */
type ThreadOptions = { start: () => Worker; timeoutMs: number };

/** Gives the thread a job with the bytes that become its own. Throws 503 if the thread dies on it. */
export type Thread<Job, Done> = (job: Job, bytes: ArrayBuffer) => Promise<Done>;

type QueuedJob<Job, Done> = {
  job: Job;
  bytes: ArrayBuffer;
  resolve: (done: Done) => void;
  reject: (reason: unknown) => void;
};

export const bounded = (heapMb: number): WorkerOptions => ({
  resourceLimits: { maxOldGenerationSizeMb: heapMb },
});

/**
 * Without a build, a thread of this folder runs the source file itself: Next and the tests start it so. Its path is
 * written out where it is started, because Next bundles the files that it sees there.
 */
export const asSource = (heapMb: number): WorkerOptions => ({
  execArgv: [
    "--disable-warning=ExperimentalWarning",
    "--import",
    pathToFileURL(join(process.cwd(), "server/gateway/body/module-paths.mjs")).href,
  ],
  ...bounded(heapMb),
});

/**
 * One thread, started when there is work. It has one job at a time, and the others wait here: a job that kills the
 * thread takes none of them with it, and they go to the next thread.
 */
export function createThread<Job, Done>({ start, timeoutMs }: ThreadOptions): Thread<Job, Done> {
  const queue: QueuedJob<Job, Done>[] = [];
  let current: QueuedJob<Job, Done> | null = null;
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;

  function open(): Worker {
    const started = start();
    started.unref();
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

  /** Ends the thread and its current job. */
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
      const ms = current === null ? IDLE_MS : timeoutMs;
      timer = setTimeout(() => lose(new Error("it did not answer in time")), ms).unref();
    }
    if (current !== null) {
      worker?.postMessage(current.job, [current.bytes]);
    }
  }

  return (job, bytes) =>
    new Promise((resolve, reject) => {
      queue.push({ job, bytes, resolve, reject });
      goOn();
    });
}
