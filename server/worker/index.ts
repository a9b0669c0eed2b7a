/** The background door: what is done without being asked, in every replica, without a leader. */
import type { Billing } from "@/server/billing";
import type { Log } from "@/server/log";

const SWEEP_EVERY_MS = 5_000;

/** Starts the loops; the answer stops them. A pass that fails is logged, and the next one comes all the same. */
export function startWorker(deps: { billing: Billing; log: Log }): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = deps.billing.sweep().then(
      (released) => {
        if (released > 0) {
          deps.log.warn({ released }, "returned money that dead calls had frozen");
        }
      },
      (error: unknown) => deps.log.warn({ err: error }, "sweep failed"),
    );
  }, SWEEP_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
