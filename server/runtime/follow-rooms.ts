/** Keeps the rooms of a process up to date with the database, and closes them. */
import type { Log } from "@/server/base/log";
import { newestAttempts } from "@/server/calls";
import { type Changes, type Database, watchChanges } from "@/server/db";
import type { BackgroundRuns } from "@/server/gateway";
import type { Rooms } from "./rooms";

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

/**
 * Clears the rooms' caches when rows change, and doubts them when a change may have been missed. `onBarred`: a key, or a response in the background, may have been ended.
 */
async function watchRooms(
  { access, catalog, channels }: Rooms,
  db: Database,
  { onBarred, onChange }: { onBarred: () => void; onChange: (isCertain: boolean) => void },
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
      heard[topic]();
      if (topic !== "background") {
        onChange(true);
      }
    },
    onGap: () => {
      onChange(false);
      [access, catalog, channels].forEach(({ doubt }) => void doubt());
      onBarred();
    },
  });
}

/** `onChange`: calls a function with each change of what calls need, and when one may have been missed. */
export type Followed = {
  changes: Changes | null;
  onChange: (hear: () => void) => void;
};

/** Follows the database, unless the process was started without it. */
export async function followRooms(
  rooms: Rooms,
  {
    db,
    log,
    isStandIn,
    withdraw,
    runs,
  }: {
    db: Database;
    log: Log;
    isStandIn: boolean;
    /** Called first with each certain change. */
    withdraw: () => void;
    runs: () => BackgroundRuns | null;
  },
): Promise<Followed> {
  const hearers: (() => void)[] = [];
  const onChange: Followed["onChange"] = (hear) => void hearers.push(hear);
  if (isStandIn) {
    return { changes: null, onChange };
  }
  await recallChannels(rooms, db, log);
  const changes = await watchRooms(rooms, db, {
    onBarred: () => lookAgain(runs(), log),
    onChange: (isCertain) => {
      if (isCertain) {
        withdraw();
      }
      hearers.forEach((hear) => void hear());
    },
  });
  return { changes, onChange };
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
