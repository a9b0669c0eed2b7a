import type { Log } from "@/server/base/log";

type Loop = { name: string; everyMs: number; pass: () => Promise<unknown> };

/**
 * Runs passes one after the other, with a pause between them. A pass that fails is logged, and the next one comes all
 * the same. The answer stops the loop and waits for the pass under way.
 */
export function startLoop(log: Log, { name, everyMs, pass }: Loop): () => Promise<void> {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const next = () => {
    timer = setTimeout(() => {
      running = pass()
        .then(
          () => {},
          (error: unknown) => log.warn({ err: error }, `${name} failed`),
        )
        .then(() => {
          if (!isStopped) {
            next();
          }
        });
    }, everyMs);
  };
  next();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
