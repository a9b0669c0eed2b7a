/**
 * Watches whether commits wait for a standby. Charges that a failover loses are in no ledger, so no later check finds
 * them: a warning is only possible before the failover.
 */
import type { Config } from "@/server/base/config";
import { withinMs } from "@/server/base/deadline";
import type { Log } from "@/server/base/log";
import { type Database, findStandbys, type Standbys, sayStandbys } from "@/server/db";

export type StandbyWatch = {
  /** The last answer; null: the database has not answered the last question. */
  standbys: () => Standbys | null;
  /** Why no call may be sold at the moment; null: it may. */
  whyNotSell: () => string | null;
  /** Whether a failover can lose what the database has confirmed. */
  mayLoseCommits: () => boolean;
  /** Asks the database. Does not throw. */
  look: () => Promise<void>;
  stop: () => void;
};

/** A failover takes longer than this, so a new primary is not sold on before it was looked at. */
const LOOK_EVERY_MS = 1_000;
const LOOK_MS = 2_000;

const UNKNOWN = "the database does not say whether a commit waits for a standby";

/** The log's warning to operators while commits wait for no standby. */
const UNSAFE = {
  warn: "a failover of the database can lose charges",
  require: "no call is sold until commits wait for a standby",
};

/** null: `SYNC_STANDBY` is `ignore`. */
export function watchStandbys(
  db: Database,
  { SYNC_STANDBY: mode, log }: Pick<Config, "SYNC_STANDBY"> & { log: Log },
): StandbyWatch | null {
  if (mode === "ignore") {
    return null;
  }
  const unsafeWords = UNSAFE[mode];
  let latest: Standbys | null = null;
  let loggedState: Standbys["state"] | null = null;
  /** A standby that has left, or of which the database says nothing, may still be promoted. */
  let hasFollowed = false;
  let isLooking = false;

  function say(standbys: Standbys): void {
    const isSafe = standbys.state === "synchronous" || (standbys.state === "none" && mode === "warn");
    const wasSilent = loggedState === null && isSafe;
    if (standbys.state !== loggedState && !wasSilent) {
      log[isSafe ? "info" : "warn"](
        { standbys: sayStandbys(standbys) },
        isSafe ? "the database's standbys are in order" : unsafeWords,
      );
    }
    loggedState = standbys.state;
  }

  async function look(): Promise<void> {
    // A question that the database does not answer is not asked twice.
    if (isLooking) {
      return;
    }
    isLooking = true;
    const answer = findStandbys(db).catch(() => null);
    void answer.finally(() => {
      isLooking = false;
    });
    latest = await withinMs(answer, LOOK_MS);
    if (latest !== null) {
      say(latest);
      hasFollowed ||= latest.state !== "none";
    }
  }

  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return {
    standbys: () => latest,
    whyNotSell: () => {
      if (mode !== "require" || latest?.state === "synchronous") {
        return null;
      }
      return latest === null ? UNKNOWN : sayStandbys(latest);
    },
    mayLoseCommits: () => hasFollowed && loggedState !== "synchronous",
    look,
    stop: () => clearInterval(timer),
  };
}
