import { GatewayError } from "./errors";

/** The number of running jobs, and the jobs that wait. */
type JobQueue = { running: number; waiting: (() => void)[] };

/**
 * Runs at most `atOnce` jobs per owner; further ones wait in order. Throws tooManyAtOnce (429) if `mostWaiting` already
 * wait. However much one owner asks for at once, charges wait behind
 * at most `atOnce` of its jobs for a database connection.
 */
export function limitConcurrency(
  atOnce: number,
  mostWaiting = Number.POSITIVE_INFINITY,
): <T>(who: string, run: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, JobQueue>();
  return async (who, run) => {
    const line = lines.get(who) ?? { running: 0, waiting: [] };
    lines.set(who, line);
    if (line.running < atOnce) {
      line.running++;
    } else {
      if (line.waiting.length >= mostWaiting) {
        throw new GatewayError("tooManyAtOnce");
      }
      await new Promise<void>((resolve) => line.waiting.push(resolve));
    }
    try {
      return await run();
    } finally {
      // The next waiting job takes this one's slot directly, so that a new one cannot overtake it.
      const next = line.waiting.shift();
      if (next) {
        next();
      } else if (--line.running === 0) {
        lines.delete(who);
      }
    }
  };
}
