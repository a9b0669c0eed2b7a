/** Keeps the rooms of a process up to date with the database, and closes them. */
import type { Log } from "@/server/base/log";
import { newestAttempts } from "@/server/calls";
import { type Changes, type Database, watchChanges } from "@/server/db";
import type { BackgroundRuns } from "@/server/gateway";
import type { Rooms } from "./rooms";
import type { Withdrawal } from "./snapshot";

/** How far back a start reads attempts. */
const RECALL_MS = 60 * 60_000;

/**
 * Restores the observations of channels from before this process began. Without them every channel starts as unknown.
 */
async function recallChannels({ channels }: Rooms, db: Database, log: Log) {
  try {
    channels.restoreHealth(await newestAttempts(db, new Date(Date.now() - RECALL_MS)));
  } catch (error) {
    log.warn({ err: error }, "channel states from before the start could not be loaded");
  }
}

function lookAgain(runs: BackgroundRuns | null, log: Log): void {
  runs?.lookAgain().catch((err: unknown) => log.warn({ err }, "background responses run on"));
}

/** Clears the rooms' caches when rows change, and doubts them when a change may have been missed. */
async function watchRooms(
  { access, catalog, channels }: Rooms,
  db: Database,
  { withdrawal, onBarred }: { withdrawal: Withdrawal; onBarred: () => void },
): Promise<Changes> {
  const heard = {
    access: () => {
      access.forget();
      onBarred();
    },
    catalog: catalog.forget,
    channels: channels.forget,
    background: onBarred,
  };
  return await watchChanges(db, {
    onChange: (topic) => {
      if (topic !== "background") {
        withdrawal.onChange();
      }
      heard[topic]();
    },
    onMark: withdrawal.onMark,
    onGap: () => {
      withdrawal.onGap();
      [access, catalog, channels].forEach(({ doubt }) => void doubt());
      onBarred();
    },
  });
}

/**
 * Follows the database. `withdrawal` hears of each change first. `runs`: those whose key, or response in the background,
 * may have been ended.
 */
export async function followRooms(
  rooms: Rooms,
  {
    db,
    log,
    withdrawal,
    runs,
  }: { db: Database; log: Log; withdrawal: Withdrawal; runs: () => BackgroundRuns | null },
): Promise<Changes> {
  await recallChannels(rooms, db, log);
  return await watchRooms(rooms, db, { withdrawal, onBarred: () => lookAgain(runs(), log) });
}

/** Ends the rooms' open work, and writes what they have in memory. */
export async function closeRooms(
  rooms: Rooms,
  { backgroundRuns, log }: { backgroundRuns: BackgroundRuns; log: Log },
) {
  await rooms.videos.close();
  await rooms.notifications.close();
  await backgroundRuns.close();
  await rooms.billing.close();
  // After the last streams have been settled.
  rooms.idempotency.close();
  await Promise.all([rooms.calls.close(), rooms.missed.close(), rooms.modelHours.close()]);
  await rooms.access.flushUses().catch((error: unknown) => log.warn({ err: error }, "last uses are lost"));
  rooms.access.close();
}
