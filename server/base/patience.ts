import { setTimeout as sleep } from "node:timers/promises";
import { isTransient } from "./transient";

/**
 * What `act` comes to, which is tried again and again while the database is away, for so long. A try that failed may
 * have committed although its answer was lost. `onFailure` hears of each. Throws what the last one threw.
 */
export async function persist<T>(
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
