import { stopwatch } from "@/server/base/clock";

/** How one of a process's pools of connections does. */
export type PoolVitals = {
  name: string;
  /** The most that it opens, and how many are open. */
  most: number;
  open: number;
  /**
   * How long a statement waited lately for a connection and the shortest answer there is; the longer, the more are in
   * front of it. null: nobody has tried.
   */
  waitMs: number | null;
};

/** Follows one pool. */
type PoolWatch = {
  /** A connection of it is being opened; to be told that it is gone. */
  opened: () => () => void;
  /** Measures a round of smallest statements, of which there is one at a time. */
  time: (round: () => Promise<unknown>) => Promise<void>;
  view: () => PoolVitals;
};

export function watchPool(name: string, most: number): PoolWatch {
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
      // One that is not answered has waited for so long already.
      const pendingMs = askedAt === null ? 0 : stopwatch() - askedAt;
      return {
        name,
        most,
        open,
        waitMs: lastMs === null && askedAt === null ? null : Math.max(lastMs ?? 0, pendingMs),
      };
    },
  };
}
