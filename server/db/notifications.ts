import { sql } from "drizzle-orm";
import type { Database, Db } from "./client";
import { ormOf, sqlOf } from "./handles";

type Changes = { stop: () => Promise<void> };

const CHANNEL = "tollgate_changes";

/** What a cache may hold, and so what can change under it. */
const topics = ["access", "catalog", "channels"] as const;
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
  const onNotice = (payload: string) => {
    const topic = topics.find((known) => known === payload);
    // A newer replica may know of more.
    if (topic) {
      handlers.onChange(topic);
    }
  };
  const subscription = await sqlOf(db).listen(CHANNEL, onNotice, handlers.onGap);
  return { stop: () => subscription.unlisten() };
}
