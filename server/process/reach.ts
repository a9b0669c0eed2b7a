/** A start waits for a database that is away, if its server can serve calls meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import { withinMs } from "@/server/base/deadline";
import { isConnectionLost } from "@/server/base/transient";
import { askWrites, isTransient, openDatabase } from "@/server/db";

/** A database that does not answer for so long is away. */
const SILENT_MS = 5_000;
const ASK_EVERY_MS = 500;
/** A database that has been away is back when it has answered so many times in a row. */
const ANSWERS = 6;

/** `wasAway`: while a database comes back, it may lack resources for a moment. That alone is no absence. */
const isOfAbsence = (error: unknown, wasAway: boolean) =>
  wasAway ? isTransient(error) : isConnectionLost(error);

/** Whether the database cannot be reached, or takes no writes. One that answers with another reason is not away. */
async function isAway(url: string, wasAway: boolean): Promise<boolean> {
  const db = openDatabase(url, { connections: 1 });
  try {
    const asked = askWrites(db).then(
      (writes) => !writes,
      (error: unknown) => isOfAbsence(error, wasAway),
    );
    return (await withinMs(asked, SILENT_MS)) ?? true;
  } finally {
    // A silent database would delay the end of its connection.
    void db.close().catch(() => {});
  }
}

async function staysHere(url: string): Promise<boolean> {
  for (let answers = 0; answers < ANSWERS; answers++) {
    if (await isAway(url, true)) {
      return false;
    }
    await sleep(ASK_EVERY_MS);
  }
  return true;
}

/**
 * Uses the database. If it is away and `mayWait`, calls `onAway` once, and tries until it is back and stays. Throws the
 * error of a database that answers.
 */
export async function reachDatabase<T>(
  use: () => Promise<T>,
  { url, mayWait, onAway }: { url: string; mayWait: boolean; onAway: () => void },
): Promise<T> {
  let wasAway = false;
  const note = () => {
    if (!wasAway) {
      wasAway = true;
      onAway();
    }
  };
  for (;;) {
    if (mayWait && (await isAway(url, wasAway))) {
      note();
    } else {
      try {
        const used = await use();
        if (!wasAway || (await staysHere(url))) {
          return used;
        }
      } catch (error) {
        if (!(mayWait && isOfAbsence(error, wasAway))) {
          throw error;
        }
        note();
      }
    }
    await sleep(ASK_EVERY_MS);
  }
}
