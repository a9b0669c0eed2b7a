import { sql } from "drizzle-orm";
import { stopwatch } from "@/server/base/clock";
import { newId } from "@/server/base/ids";
import type { Database, Db } from "./client";
import { ormOf, relaxed, sqlOf } from "./handles";

export type Changes = {
  stop: () => Promise<void>;
  /**
   * A moment, by the process's stopwatch: every change before it has been heard of. 0: nobody knows of any. Notices come
   * in the order in which they were sent, so that a process that hears its own has heard all before it.
   */
  heardAt: () => number;
  /** How late notices are, in milliseconds: the way of the last one that this process told itself, or of one that has not come. */
  lagMs: () => number;
};

/** How often this process tells itself something. */
const ECHO_MS = 5_000;

const CHANNEL = "tollgate_changes";

/** What a cache may hold, and so what can change under it; and responses in the background, which are cancelled. */
const topics = ["access", "catalog", "channels", "background"] as const;
export type Topic = (typeof topics)[number];

/** Tells every process that `topic` changed. Inside a transaction it is told when that commits. */
export async function reportChange(db: Db, topic: Topic): Promise<void> {
  await ormOf(db).execute(sql`select pg_notify(${CHANNEL}, ${topic})`);
}

/**
 * Calls `onChange(topic)` when any process reports a change, and `onGap()` whenever notices may have been missed
 * (first connection, every reconnection): whoever caches must then forget everything.
 */
export async function watchChanges(
  db: Database,
  handlers: { onChange: (topic: Topic) => void; onGap: () => void },
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
    const topic = topics.find((known) => known === payload);
    // A newer replica may know of more.
    if (topic) {
      handlers.onChange(topic);
    }
  };
  const subscription = await sqlOf(db).listen(CHANNEL, onNotice, handlers.onGap);
  const echo = async () => {
    // Of no weight: no disk is waited for.
    await sqlOf(relaxed(db))`select pg_notify(${CHANNEL}, ${`${me} ${stopwatch()}`})`;
  };
  const timer = setInterval(() => {
    // Unheard, it proves nothing; that the database is away is told elsewhere.
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
