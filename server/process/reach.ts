/** A start waits for a database that is away, if its server can serve calls meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import { withinMs } from "@/server/base/deadline";
import { askDatabaseClock, isTransient, openDatabase } from "@/server/db";

/** A database that does not answer for so long is away. */
const SILENT_MS = 5_000;
const ASK_EVERY_MS = 500;

/** Whether the database cannot be reached. One that answers with a reason of its own is not away. */
async function isAway(url: string): Promise<boolean> {
  const db = openDatabase(url, { connections: 1 });
  try {
    const asked = askDatabaseClock(db).then(
      () => false,
      (error: unknown) => isTransient(error),
    );
    return (await withinMs(asked, SILENT_MS)) ?? true;
  } finally {
    // A silent database would delay the end of its connection.
    void db.close().catch(() => {});
  }
}

/**
 * Prepares the database. If it is away and `mayWait`, calls `onAway` once and tries until it is back. Throws the error of
 * a database that answers.
 */
export async function reachDatabase(
  prepare: () => Promise<void>,
  { url, mayWait, onAway }: { url: string; mayWait: boolean; onAway: () => void },
): Promise<void> {
  let wasAway = false;
  for (;;) {
    const away = mayWait && (await isAway(url));
    if (away && !wasAway) {
      wasAway = true;
      onAway();
    }
    if (!away) {
      try {
        return await prepare();
      } catch (error) {
        const isAgain = mayWait && isTransient((error as Error).cause) && (await isAway(url));
        if (!isAgain) {
          throw error;
        }
      }
    }
    await sleep(ASK_EVERY_MS);
  }
}
