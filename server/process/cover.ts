/** A start whose database is away: a stand-in serves from the snapshot until the database can be used. */
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "@/server/base/config";
import type { Log } from "@/server/base/log";
import { startBoot } from "./booting";
import type { FirstBoot } from "./first-boot";

/** While a stand-in serves calls, a database that answers and cannot be used is tried again after so long. */
const AGAIN_MS = 5_000;

type Cover = {
  url: string;
  log: Log;
  /** The schema can be used. */
  onSchema: () => void;
  /** Starts the stand-in. Throws in its words if it cannot. */
  serve: () => Promise<void>;
  /** There is no stand-in: the start fails. */
  fail: (error: ConfigError) => void;
};

/**
 * Boots. Throws in words, but not while a stand-in serves: whatever is wrong with a database that comes back, calls are
 * served as long as the snapshot lasts, and the database is tried again.
 */
export async function bootCovered(
  firstBootOf: ReturnType<typeof startBoot>,
  { url, log, onSchema, serve, fail }: Cover,
): Promise<FirstBoot> {
  let isCovered = false;
  const cover = () => {
    if (!isCovered) {
      isCovered = true;
      serve().catch((error: Error) =>
        fail(new ConfigError(`The database does not respond, and ${error.message}`, { cause: error })),
      );
    }
  };
  for (let bootOf = firstBootOf; ; bootOf = startBoot()) {
    try {
      return await bootOf(url, { onAway: cover, onSchema });
    } catch (error) {
      if (!isCovered) {
        throw error;
      }
      log.error({ err: error, inMs: AGAIN_MS }, "the database cannot be used yet, and is tried again");
      await sleep(AGAIN_MS);
    }
  }
}
