import { addAbortListener } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { builtThread } from "@/server/base/built";
import { UpstreamFault } from "./adapter";
import type { Done, Job } from "./embedding-worker";

type Waiting = { resolve: (vectors: number[][]) => void; reject: (reason: unknown) => void };

type EmbeddingThread = { run: (texts: string[], signal: AbortSignal) => Promise<number[][]> };

/**
 * Starts the thread. Where nothing has been built, its file is found from the project's folder, and Node takes its
 * types off. (Next sees through the path and makes a chunk of the file, which works as long as next.config.mjs keeps
 * the packages out of it: the model lies beside their code.) `onGone`: the thread has died, and what waited has been refused.
 */
function startThread(onGone: () => void): EmbeddingThread {
  const worker =
    builtThread("server/upstream/embedding-worker", {}) ??
    new Worker(join(process.cwd(), "server/upstream/embedding-worker.ts"), {
      // Node 22 calls taking types off an experiment, once a thread.
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
  const waiting = new Map<number, Waiting>();
  let serial = 0;
  let death: unknown = null;

  /** Only work keeps a process alive. */
  const settle = (id: number): Waiting | undefined => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) {
      worker.unref();
    }
    return waiter;
  };
  worker.on("message", ({ id, vectors }: Done) => settle(id)?.resolve(vectors));
  worker.on("error", (error) => {
    death = error;
  });
  worker.on("exit", () => {
    onGone();
    for (const { reject } of waiting.values()) {
      reject(new UpstreamFault("broken", `the embedding model failed: ${String(death)}`, { cause: death }));
    }
    waiting.clear();
  });

  return {
    run: (texts, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const id = serial++;
        const listener = addAbortListener(signal, () => settle(id)?.reject(signal.reason));
        waiting.set(id, {
          resolve: (vectors) => {
            listener[Symbol.dispose]();
            resolve(vectors);
          },
          reject,
        });
        worker.ref();
        worker.postMessage({ id, texts } satisfies Job);
      }),
  };
}

let thread: EmbeddingThread | null = null;

/** The one thread of this process. It starts with the first call, and anew with the next one after it has died. */
export function embeddingThread(): EmbeddingThread {
  thread ??= startThread(() => {
    thread = null;
  });
  return thread;
}
