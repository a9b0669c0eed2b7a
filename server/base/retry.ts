import { setTimeout as sleep } from "node:timers/promises";
import { isTransient } from "./transient";

/**
 * Runs `act` and retries it while the database is away, for at most `patienceMs`. A failed attempt may have committed
 * although its answer was lost. `onFailure` is called for each failure. Throws the last error.
 */
export async function retryWhileTransient<T>(
  act: () => Promise<T>,
  patienceMs: number,
  onFailure: (error: unknown) => void = () => {},
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
    try {
      return await act();
    } catch (error) {
      onFailure(error);
      if (!isTransient(error) || performance.now() + wait > deadline) {
        throw error;
      }
      await sleep(wait);
    }
  }
}
