import { stopwatch } from "@/server/base/clock";

/** The state of one of a process's pools of connections. */
export type PoolVitals = {
  name: string;
  /** The most connections that it opens, and how many are open. */
  limit: number;
  open: number;
  /**
   * How long a recent statement waited for a connection and the shortest possible answer; it grows with the queue.
   * null: not measured yet.
   */
  waitMs: number | null;
};

/** Observes one pool. */
type PoolWatch = {
  /** Called when a connection is opened; returns a function to call when it is gone. */
  opened: () => () => void;
  /** Measures a round of minimal statements; one round runs at a time. */
  time: (round: () => Promise<unknown>) => Promise<void>;
  view: () => PoolVitals;
};

export function watchPool(name: string, limit: number): PoolWatch {
  let open = 0;
  let lastMs: number | null = null;
  let askedAt: number | null = null;
  return {
    opened: () => {
      open++;
      let isOpen = true;
      return () => {
        open -= isOpen ? 1 : 0;
        isOpen = false;
      };
    },
    time: async (round) => {
      askedAt = stopwatch();
      const beganAt = askedAt;
      try {
        await round();
      } finally {
        lastMs = stopwatch() - beganAt;
        askedAt = null;
      }
    },
    view: () => {
      // A round without an answer has waited for this long already.
      const pendingMs = askedAt === null ? 0 : stopwatch() - askedAt;
      return {
        name,
        limit,
        open,
        waitMs: lastMs === null && askedAt === null ? null : Math.max(lastMs ?? 0, pendingMs),
      };
    },
  };
}
