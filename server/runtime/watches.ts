/** Watches that decide whether calls may be sold. */
import { join, resolve } from "node:path";
import { type Config, chargesOf } from "@/server/base/config";
import type { Log } from "@/server/base/log";
import { type Nanos, nanos, parseMoney } from "@/server/base/money";
import { type Absence, type Database, watchAbsence } from "@/server/db";
import { createClockWatch } from "./clock-watch";
import { watchStandbys } from "./standby-watch";

/** Where this machine's processes keep charges that the database has not accepted yet, and the reserve. */
export const arrearsDirectory = (config: Pick<Config, "TOLLGATE_DATA_DIR">) =>
  join(resolve(config.TOLLGATE_DATA_DIR), "charges");

/** The terms of sales while the database is away. null: no sales, because each charge waits for the database. */
export const outageOf = (config: Config): { allowance: Nanos; longestMs: number } | null =>
  chargesOf(config) === "file"
    ? {
        allowance: parseMoney(config.OUTAGE_ALLOWANCE) ?? nanos(0n),
        longestMs: config.OUTAGE_MINUTES * 60_000,
      }
    : null;

/** Opens them, and waits for their first look. `away`: known before. */
export async function openWatches(
  db: Database,
  { config, log, away }: { config: Config; log: Log; away: Absence | undefined },
) {
  const clock = createClockWatch(db);
  const standbys = watchStandbys(db, { SYNC_STANDBY: config.SYNC_STANDBY, log });
  const outage = outageOf(config);
  const absence = away ?? (outage && watchAbsence(db, outage));
  await Promise.all([clock.measure(), standbys?.look()]);
  const whyNotSell = standbys?.whyNotSell ?? (() => null);
  const mayLoseCommits = standbys?.mayLoseCommits ?? (() => false);
  return {
    ...{ clock, standbys, absence },
    conditions: { absence, isClockRight: clock.isRight, whyNotSell, mayLoseCommits },
    stop: () => {
      standbys?.stop();
      absence?.stop();
    },
  };
}
