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

/** A connection's socket. */
type PoolSocket = { readonly destroyed: boolean };

/** Observes one pool. */
type PoolWatch = {
  /** Called when a connection is opened. */
  opened: (socket: PoolSocket) => void;
  /** Measures a round of minimal statements; one round runs at a time. */
  time: (round: () => Promise<unknown>) => Promise<void>;
  view: () => PoolVitals;
};

export function watchPool(name: string, limit: number): PoolWatch {
  let sockets: PoolSocket[] = [];
  // No event tells that a socket is gone: the driver removes all listeners of one over which it begins TLS.
  const listOpen = () => sockets.filter(({ destroyed }) => !destroyed);
  let lastMs: number | null = null;
  let askedAt: number | null = null;
  return {
    opened: (socket) => {
      sockets = [...listOpen(), socket];
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
        open: listOpen().length,
        waitMs: lastMs === null && askedAt === null ? null : Math.max(lastMs ?? 0, pendingMs),
      };
    },
  };
}
