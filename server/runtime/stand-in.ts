/**
 * A runtime that serves from the snapshot, and sells from the claimed reserve, because the database was away when its
 * server started. It does not use the database before the server has prepared it.
 */
import type { KnownKey } from "@/server/access";
import { createKeptKeys } from "@/server/access";
import { type Config, ConfigError } from "@/server/base/config";
import { GatewayError } from "@/server/base/errors";
import { createLog, type Log } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import { loadSecrets, type Secrets } from "@/server/base/secrets";
import {
  type Claim,
  chargesOfReserve,
  claimReserve,
  isStillOpen,
  limitReserve,
  type ReservedAmount,
  subtractCharges,
} from "@/server/billing";
import { stockOf } from "@/server/catalog";
import { type Absence, awayFor } from "@/server/db";
import type { Kept } from "./rooms";
import { createRuntime, type Runtime, type RuntimeOptions } from "./runtime";
import { readSnapshot, type Snapshot, snapshotMs } from "./snapshot";
import { arrearsDirectory, outageOf } from "./watches";

/** Everything comes from the snapshot, and nothing once it is too old. */
function keptOf({ keys, stock, ways }: Snapshot, absence: Pick<Absence, "mayServe">): Kept {
  const findKept = createKeptKeys(keys);
  const shelf = stockOf(stock);
  const unknown = (what: string) => new GatewayError("unavailable", "", { cause: new Error(what) });
  const whileKnown = async <T>(answer: () => T): Promise<T> => {
    if (!absence.mayServe()) {
      throw unknown("the snapshot is too old");
    }
    return answer();
  };
  return {
    keptKeys: (names) =>
      whileKnown((): KnownKey | null => {
        const key = findKept(names);
        if (key === undefined) {
          // It may have been created after the snapshot, so it cannot be called invalid.
          throw unknown("the key is not in the snapshot");
        }
        return key;
      }),
    keptStock: () => whileKnown(() => shelf),
    keptWays: () => whileKnown(() => ways),
  };
}

/**
 * What this run may sell of the claimed reserve: no more than the allowances of today leave for one, less what former runs
 * have charged. Nothing if that is not certain.
 */
async function partsOf(
  claim: Claim,
  { reserve, config, log }: { reserve: Snapshot["reserve"]; config: Config; log: Log },
): Promise<ReservedAmount[]> {
  const refuse = (reason: string): ReservedAmount[] => {
    log.error({ reserve: claim.holder, reason }, "nothing is sold without the database");
    return [];
  };
  if (reserve.holder !== claim.holder) {
    return refuse("the file is another reserve's");
  }
  const limited = limitReserve(reserve.parts, reserve.parts, outageOf(config)?.allowance ?? nanos(0n));
  if (claim.isFresh) {
    return limited;
  }
  const charges = await chargesOfReserve(claim.directory, claim.holder);
  if (charges === null) {
    return refuse("a file of charges is damaged, so it is unknown what a former run has sold");
  }
  return (await isStillOpen(claim))
    ? subtractCharges(limited, charges)
    : refuse("charges of a former run are on their way to the ledger");
}

/** Claims the snapshot on disk. Throws ConfigError with the reason if there is none that may be used. */
async function claimSnapshot(config: Config, secrets: Secrets) {
  if (snapshotMs(config) === 0) {
    throw new ConfigError("SNAPSHOT_MINUTES is 0, or nothing may be sold without the database");
  }
  const claim = await claimReserve(arrearsDirectory(config));
  if (claim === null) {
    throw new ConfigError(
      "there is no snapshot of keys and prices that is up to date and that no other process has used",
    );
  }
  return { claim, snapshot: await readSnapshot(claim.path, { config, secrets }) };
}

/** Throws ConfigError if there is no usable snapshot. */
export async function openStandIn(options: RuntimeOptions, isShut: () => boolean): Promise<Runtime> {
  const { config } = options;
  const secrets = loadSecrets(config);
  const log = options.log ?? createLog(config.LOG_LEVEL, undefined, options.name);
  const { claim, snapshot } = await claimSnapshot(config, secrets);
  const { takenAt, ageMs, keys, reserve } = snapshot;
  const parts = await partsOf(claim, { reserve, config, log });
  const longestMs = snapshotMs(config) - ageMs;
  const absence = awayFor(longestMs, isShut);
  log.warn(
    {
      takenAt: new Date(takenAt).toISOString(),
      until: new Date(takenAt + snapshotMs(config)).toISOString(),
      ...{ keys: keys.length, accounts: parts.length, reserve: claim.holder, isFresh: claim.isFresh },
    },
    "the database is away: calls are served from the snapshot; changes of keys, accounts and prices after " +
      "takenAt are unknown unless this server heard of them",
  );
  const terms = { reserve: { holder: claim.holder, parts }, longestMs };
  const standIn = { isShut, absence, terms, takenAt, kept: keptOf(snapshot, absence) };
  return await createRuntime({ ...options, log, standIn });
}
