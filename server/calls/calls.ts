import { type Clock, systemClock } from "@/server/base/clock";
import { withinMs } from "@/server/base/deadline";
import type { Log } from "@/server/base/log";
import { type Database, type Db, isTransient } from "@/server/db";
import { relaxed } from "@/server/db/handles";
import type { Metrics } from "@/server/domain/metrics";
import { dropCallMonths, makeCallMonths } from "./call-months";
import { type AttemptRecord, type CallRecord, insertCalls, type RecordedCall } from "./rows";

export type Calls = {
  /**
   * Queues the record of an ended call with its attempts; it is in the list within a second. Never fails, never waits.
   */
  record: (call: CallRecord, attempts?: AttemptRecord[]) => void;
  /** Writes the queue. While the database is away, records stay in the queue. */
  flush: () => Promise<void>;
  /** Creates the log's next months, and drops the months that are older than the log goes back. */
  keepMonths: () => Promise<void>;
  /** Writes the queue, within a time limit. */
  close: () => Promise<void>;
};

/** Ten seconds of a busy process while the database is away: some 10 MB. */
const MAX_WAITING = 20_000;
const MAX_BATCH = 1_000;
const WRITE_EVERY_MS = 250;
const RETRY_MS = 1_000;
const CLOSE_PATIENCE_MS = 5_000;

const DAY_MS = 86_400_000;

type CallsDeps = { db: Database; log: Log; metrics: Metrics; keepDays: number; clock?: Clock };

/** Writes a batch; a row that cannot be stored is isolated by halving. Throws when the database is away. */
async function write(deps: CallsDeps, batch: RecordedCall[]): Promise<void> {
  try {
    await insertCalls(relaxed(deps.db), batch);
  } catch (error) {
    if (isTransient(error)) {
      throw error;
    }
    if (batch.length === 1) {
      deps.metrics.callsUnrecorded.inc();
      deps.log.warn({ err: error, requestId: batch[0]?.call.requestId }, "a call cannot be recorded");
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await write(deps, batch.slice(0, middle));
    await write(deps, batch.slice(middle));
  }
}

/**
 * Creates the log's next months, and drops the months that are older than the log goes back. Running it twice changes
 * nothing. The role must own the tables.
 */
export async function keepCallMonths(
  db: Db,
  { now, keepDays, ...options }: { now: Date; keepDays: number; mostRows?: number },
): Promise<void> {
  try {
    await makeCallMonths(db, now, options);
  } finally {
    await dropCallMonths(db, new Date(now.getTime() - keepDays * DAY_MS));
  }
}

export function createCalls(deps: CallsDeps): Calls {
  const { log, metrics } = deps;
  const waiting: RecordedCall[] = [];
  let overflow = 0;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<boolean> = Promise.resolve(true);
  let isClosed = false;

  /** Writes the records that are queued at its start; later ones are for the next pass. False: the database is away. */
  async function pass(): Promise<boolean> {
    if (overflow > 0) {
      log.warn({ dropped: overflow }, "the request log had no room for calls");
      overflow = 0;
    }
    try {
      for (let left = waiting.length; left > 0; left -= MAX_BATCH) {
        const batch = waiting.slice(0, Math.min(left, MAX_BATCH));
        await write(deps, batch);
        waiting.splice(0, batch.length);
      }
      return true;
    } catch (error) {
      log.warn({ err: error, waiting: waiting.length }, "calls are not recorded yet");
      return false;
    }
  }

  /** Runs one pass at a time, because each takes rows from the head of the queue. */
  function nextPass(): Promise<boolean> {
    writing = writing.then(pass);
    return writing;
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(async () => {
      const isDone = await nextPass();
      timer = null;
      if (waiting.length > 0 && !isClosed) {
        schedule(isDone ? WRITE_EVERY_MS : RETRY_MS);
      }
    }, delayMs);
    timer.unref();
  }

  return {
    record: (call, attempts = []) => {
      if (waiting.length >= MAX_WAITING || isClosed) {
        overflow++;
        metrics.callsUnrecorded.inc();
        return;
      }
      waiting.push({ call, attempts });
      if (timer === null) {
        schedule(WRITE_EVERY_MS);
      }
    },
    flush: async () => {
      await nextPass();
    },
    keepMonths: () =>
      keepCallMonths(deps.db, { now: (deps.clock ?? systemClock)(), keepDays: deps.keepDays }),
    close: async () => {
      isClosed = true;
      if (timer !== null) {
        clearTimeout(timer);
      }
      await withinMs(nextPass(), CLOSE_PATIENCE_MS);
    },
  };
}
