import { stopwatch } from "@/server/base/clock";
import { withinMs } from "@/server/base/deadline";
import { isConnectionLost, isTransient } from "@/server/base/transient";
import type { Database } from "./client";
import { relaxed, sqlOf } from "./handles";

/** Watches whether the database answers and takes writes, for a process that can serve without it for some time. */
export type Absence = {
  /** Whether the database is away. */
  isAway: () => boolean;
  /** Whether it is away, and has been for no longer than this process may serve without it. */
  mayServe: () => boolean;
  /** How long it may serve without it, in milliseconds. */
  longestMs: number;
  /** For how long the database has answered, in milliseconds; 0 while it is away. */
  hereMs: () => number;
  /**
   * A statement failed: asks the database now, unless it is known to be away. Resolves to `mayServe`. A database that
   * stops may answer on one connection while it refuses others: a lost connection is enough, until the next look. Does
   * not throw.
   */
  look: (error: unknown) => Promise<boolean>;
  /** The answer; null as soon as `mayServe`. The answer is not cancelled. */
  unlessAway: <T>(answer: Promise<T>) => Promise<T | null>;
  /** Looks at once after a failed write. */
  noteWrite: (error: unknown) => void;
  stop: () => void;
};

/**
 * For a process that was started without the database. It sells as if the database were away for as long as it lives;
 * once `isShut` is false, its charges go to the database. `beganAt`: on the process's stopwatch.
 */
export function awayFor(
  { longestMs, beganAt }: { longestMs: number; beganAt: number },
  isShut: () => boolean,
): Absence {
  const until = beganAt + longestMs;
  const mayServe = () => stopwatch() < until;
  return {
    isAway: isShut,
    mayServe,
    longestMs,
    hereMs: () => 0,
    look: async () => mayServe(),
    unlessAway: async (answer) => {
      if (!mayServe()) {
        return await answer;
      }
      answer.catch(() => {});
      return null;
    },
    noteWrite: () => {},
    stop: () => {},
  };
}

/** Whether the database takes writes now. Throws the driver's error. */
export async function askWrites(db: Database): Promise<boolean> {
  const [row] = await sqlOf(relaxed(db))<{ writes: boolean }[]>`
    select not (pg_is_in_recovery() or current_setting('transaction_read_only')::boolean) as writes`;
  return row?.writes === true;
}

const LOOK_EVERY_MS = 500;
/** A database that is silent for so long is away. */
const SILENT_MS = 2_000;

/** `longestMs`: how long a process may serve without the database. */
export function watchAbsence(db: Database, { longestMs }: { longestMs: number }): Absence {
  let answeredAt = stopwatch();
  let hereSince = answeredAt;
  let isAway = false;
  let open: Promise<boolean> | null = null;
  let looking: Promise<void> | null = null;
  /** `give` is null once the wait is over: the old tables of a set keep what was in it (decision 92). */
  const waiting = new Set<{ give: (() => void) | null }>();

  /**
   * Whether the database answers, and takes writes: one that only reads (a standby, or a managed one whose disk is full)
   * charges nothing. A question that it does not answer is not asked twice.
   */
  const ask = () => {
    open ??= askWrites(db)
      .catch(() => false)
      .finally(() => {
        open = null;
      });
    return withinMs(open, SILENT_MS);
  };
  const mayServe = () => isAway && stopwatch() - answeredAt < longestMs;
  const note = (isFoundAway: boolean) => {
    if (isAway && !isFoundAway) {
      hereSince = stopwatch();
    }
    isAway = isFoundAway;
    if (mayServe()) {
      waiting.forEach(({ give }) => void give?.());
    }
  };

  async function find(): Promise<void> {
    const askedAt = stopwatch();
    // A lost connection may fail the first question; the second one has a new connection.
    const isHere = (await ask()) ?? false;
    note(!(isHere || (stopwatch() - askedAt < SILENT_MS && (await ask()))));
    if (!isAway) {
      answeredAt = askedAt;
    }
  }

  const look = () => {
    looking ??= find().finally(() => {
      looking = null;
    });
    return looking;
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return {
    isAway: () => isAway,
    mayServe,
    longestMs,
    hereMs: () => (isAway ? 0 : stopwatch() - hereSince),
    look: async (error) => {
      if (isConnectionLost(error)) {
        isAway = true;
      } else if (!mayServe()) {
        await look();
      }
      return mayServe();
    },
    unlessAway: async (answer) => {
      const waiter: { give: (() => void) | null } = { give: null };
      const away = new Promise<null>((resolve) => {
        waiter.give = () => resolve(null);
      });
      waiting.add(waiter);
      if (mayServe()) {
        waiter.give?.();
      }
      try {
        return await Promise.race([answer, away]);
      } finally {
        waiting.delete(waiter);
        waiter.give = null;
      }
    },
    noteWrite: (error) => {
      if (isTransient(error)) {
        void look();
      }
    },
    stop: () => clearInterval(timer),
  };
}
