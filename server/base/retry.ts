import { setTimeout as sleep } from "node:timers/promises";
import { isTransient } from "./transient";

/**
 * Runs `act` and retries it while the database is away, for at most `patienceMs`. A failed attempt may have committed
 * although its answer was lost. `onFailure` is called for each failure. Throws the last error.
 */
export function retryWhileTransient<T>(
  act: () => Promise<T>,
  patienceMs: number,
  onFailure: (error: unknown) => void = () => {},
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  // Not a loop in an async function, which makes two more promises for each act that succeeds at once.
  const run = (waitMs: number): Promise<T> =>
    act().catch(async (error: unknown) => {
      onFailure(error);
      if (!isTransient(error) || performance.now() + waitMs > deadline) {
        throw error;
      }
      await sleep(waitMs);
      return await run(Math.min(waitMs * 2, 1_000));
    });
  return run(50);
}
