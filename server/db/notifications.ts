import { sql } from "drizzle-orm";
import { stopwatch } from "@/server/base/clock";
import { newId } from "@/server/domain/ids";
import type { Database, Db } from "./client";
import { ormOf, relaxed, sqlOf } from "./handles";

export type Changes = {
  stop: () => Promise<void>;
  /**
   * A moment on the process's stopwatch: this process has received all changes before it. 0: none known yet. Notices
   * arrive in the order in which they were sent, so a process that receives its own has received all earlier ones.
   */
  heardAt: () => number;
  /**
   * The delay of notices in milliseconds: of this process's latest notice to itself, or of one that has not arrived.
   */
  lagMs: () => number;
};

/** How often this process sends itself a notice. */
const ECHO_MS = 5_000;

const CHANNEL = "tollgate_changes";

/** The kinds of cached data that may change, and `background`: responses in the background that are cancelled. */
const topics = ["access", "catalog", "channels", "background"] as const;
export type Topic = (typeof topics)[number];

/** Tells every process that `topic` changed; inside a transaction, when that commits. */
export async function reportChange(db: Db, topic: Topic): Promise<void> {
  await ormOf(db).execute(sql`select pg_notify(${CHANNEL}, ${topic})`);
}

const MARK = "mark";

/**
 * Sends a mark to every process, in the order of changes: one that hears a change before the mark knows that whoever
 * reads the database after this function has returned sees the change. It may be lost with the database.
 */
export async function markChanges(db: Database, mark: string): Promise<void> {
  await sqlOf(relaxed(db))`select pg_notify(${CHANNEL}, ${`${MARK} ${mark}`})`;
}

/**
 * Calls `onChange(topic)` when any process reports a change, `onMark` with each mark, and `onGap()` whenever notices may
 * have been missed (first connection, every reconnection; soon after it): caches must then doubt everything.
 */
export async function watchChanges(
  db: Database,
  handlers: { onChange: (topic: Topic) => void; onGap: () => void; onMark?: (mark: string) => void },
): Promise<Changes> {
  const me = newId("proc");
  const beganAt = stopwatch();
  let heardAt = 0;
  let wayMs = 0;
  const onNotice = (payload: string) => {
    const [who, saidAt] = payload.split(" ");
    if (who === me) {
      heardAt = Number(saidAt);
      wayMs = stopwatch() - heardAt;
    }
    if (who === MARK) {
      handlers.onMark?.(payload.slice(MARK.length + 1));
    }
    const topic = topics.find((name) => name === payload);
    // A newer replica may send topics that this one does not know.
    if (topic) {
      handlers.onChange(topic);
    }
  };
  const subscription = await sqlOf(db).listen(CHANNEL, onNotice, handlers.onGap);
  const echo = async () => {
    // It may be lost, so the commit does not wait for the disk.
    await sqlOf(relaxed(db))`select pg_notify(${CHANNEL}, ${`${me} ${stopwatch()}`})`;
  };
  const timer = setInterval(() => {
    // A failed notice proves nothing; other code reports that the database is away.
    echo().catch(() => {});
  }, ECHO_MS);
  timer.unref();
  return {
    heardAt: () => heardAt,
    lagMs: () => Math.max(wayMs, stopwatch() - Math.max(beganAt, heardAt) - ECHO_MS, 0),
    stop: async () => {
      clearInterval(timer);
      await subscription.unlisten();
    },
  };
}
