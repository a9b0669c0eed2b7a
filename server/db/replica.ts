/** A standby of the same database, for lists and reports that may be a moment old. */
import { stopwatch } from "@/server/base/clock";
import { withinMs } from "@/server/base/deadline";
import type { Log } from "@/server/base/log";
import { type Database, openDatabase } from "./client";
import { sqlOf } from "./handles";

export type ReadReplica = {
  /** Returns the standby if it has all writes of this process and is fresh (`FRESH_MS`); else the database. */
  pick: () => Database;
  /** Notes a write: reads from now on must see it. */
  noteWrite: () => void;
  /** Why the standby is not used; null: it is. */
  trouble: () => string | null;
  close: () => Promise<void>;
};

const LOOK_EVERY_MS = 1_000;
const LOOK_MS = 2_000;
/** The greatest age of the data that the standby is known to have. */
const FRESH_MS = 5_000;

type ReplicaPosition = { position: string | null; isStandby: boolean };

/** The end of the database's log, as text like the standby's position. */
async function positionOf(db: Database): Promise<string> {
  const [row] = await sqlOf(db)<{ position: string }[]>`select pg_current_wal_lsn()::text as position`;
  return row?.position ?? "";
}

/**
 * Whether the standby has replayed the log up to `position`. A null position in the answer: its provider replicates in
 * another way.
 */
async function standingOf(
  standby: Database,
  position: string,
): Promise<ReplicaPosition & { hasIt: boolean }> {
  const [row] = await sqlOf(standby)<(ReplicaPosition & { hasIt: boolean | null })[]>`
    select pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn()::text as position,
      pg_last_wal_replay_lsn() >= ${position}::pg_lsn as "hasIt"`;
  return { isStandby: row?.isStandby ?? false, position: row?.position ?? null, hasIt: row?.hasIt ?? false };
}

/**
 * Reads from the standby at `url` while it keeps up. One look notes the end of the database's log, and a later one asks
 * whether the standby has replayed it: the standby then has everything that was written before the earlier look.
 */
export function openReadReplica(
  db: Database,
  { url, connections, log }: { url: string; connections: number; log: Log },
): ReadReplica {
  const standby = openDatabase(url, { connections });
  let target: { position: string; at: number } | null = null;
  /** The standby has everything that was written before this moment. */
  let knownAt = Number.NEGATIVE_INFINITY;
  let wroteAt = Number.NEGATIVE_INFINITY;
  let trouble: string | null = "it has not been looked at yet";
  let isClosed = false;

  const say = (newTrouble: string | null) => {
    if (newTrouble !== trouble && (newTrouble === null || trouble === null)) {
      log[newTrouble === null ? "info" : "warn"](
        { trouble: newTrouble },
        newTrouble === null ? "lists are read from the replica" : "lists are read from the database itself",
      );
    }
    trouble = newTrouble;
  };

  async function look(): Promise<string | null> {
    const at = stopwatch();
    const ask = target ?? { position: await positionOf(db), at };
    target = ask;
    const { isStandby, position, hasIt } = await standingOf(standby, ask.position);
    if (!isStandby || position === null) {
      return "DATABASE_READ_URL is no standby that replays the database's log";
    }
    if (hasIt) {
      knownAt = ask.at;
      target = null;
    }
    return stopwatch() - knownAt > FRESH_MS ? "it lags behind" : null;
  }

  async function watch(): Promise<void> {
    while (!isClosed) {
      const answer = await withinMs(
        look().then(
          (trouble) => ({ trouble }),
          () => ({ trouble: "it does not answer" }),
        ),
        LOOK_MS,
      );
      say(answer === null ? "it does not answer" : answer.trouble);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
    }
  }
  void watch();

  const isFresh = () => trouble === null && knownAt >= wroteAt && stopwatch() - knownAt <= FRESH_MS;
  return {
    pick: () => (isFresh() ? standby : db),
    noteWrite: () => {
      wroteAt = stopwatch();
    },
    trouble: () => trouble,
    close: async () => {
      isClosed = true;
      await standby.close();
    },
  };
}
