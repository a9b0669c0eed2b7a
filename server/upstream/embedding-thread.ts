import { addAbortListener } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { builtThread } from "@/server/base/built";
import { UpstreamFault } from "./adapter";
import type { EmbeddingJob, EmbeddingResult } from "./embedding-worker";

type PendingEmbedding = { resolve: (vectors: number[][]) => void; reject: (reason: unknown) => void };

type EmbeddingThread = { run: (texts: string[], signal: AbortSignal) => Promise<number[][]> };

/**
 * Starts the thread. Without a build, its file is found from the project's folder, and Node strips its types. (Next
 * follows the path and bundles the file, which works as long as next.config.mjs leaves the packages out of the bundle:
 * the model is stored next to their code.) `onGone`: called when the thread has died and waiting jobs have been
 * refused.
 */
function startThread(onGone: () => void): EmbeddingThread {
  const worker =
    builtThread("server/upstream/embedding-worker", {}) ??
    new Worker(join(process.cwd(), "server/upstream/embedding-worker.ts"), {
      // Node 22 warns once a thread that type stripping is experimental.
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
  const waiting = new Map<number, PendingEmbedding>();
  let serial = 0;
  let death: unknown = null;

  /** Only pending work keeps the process alive. */
  const settle = (id: number): PendingEmbedding | undefined => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) {
      worker.unref();
    }
    return waiter;
  };
  worker.on("message", ({ id, vectors }: EmbeddingResult) => settle(id)?.resolve(vectors));
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
        worker.postMessage({ id, texts } satisfies EmbeddingJob);
      }),
  };
}

let thread: EmbeddingThread | null = null;

/**
 * The only embedding thread of this process. The first call starts it, and the next call restarts it after it has died.
 */
export function embeddingThread(): EmbeddingThread {
  thread ??= startThread(() => {
    thread = null;
  });
  return thread;
}
