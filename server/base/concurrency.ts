import { GatewayError } from "./errors";

/** Who runs, and who waits for one of them to end. */
type Line = { running: number; waiting: (() => void)[] };

/**
 * Lets `atOnce` things of each person run at a time; the others wait for their turn, in order. Throws tooManyAtOnce
 * (429) where `mostWaiting` wait already. However much somebody asks for at once, everybody's charges wait behind no
 * more than that for a connection to the database.
 */
export function limitConcurrency(
  atOnce: number,
  mostWaiting = Number.POSITIVE_INFINITY,
): <T>(who: string, run: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, Line>();
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
      // Who is next takes the place of this one, so that nobody who comes just now slips in between.
      const next = line.waiting.shift();
      if (next) {
        next();
      } else if (--line.running === 0) {
        lines.delete(who);
      }
    }
  };
}
