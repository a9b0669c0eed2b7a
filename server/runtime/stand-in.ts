/**
 * A runtime that serves from the snapshot, and sells from the claimed reserve, because the database was away when its
 * server started. It does not use the database before the server has prepared it.
 */
import type { KnownKey } from "@/server/access";
import { createKeptKeys } from "@/server/access";
import { stopwatch } from "@/server/base/clock";
import { type Config, ConfigError } from "@/server/base/config";
import { GatewayError } from "@/server/base/errors";
import { createLog, type Log } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import { loadSecrets, type Secrets } from "@/server/base/secrets";
import {
  type Claim,
  chargesOfReserve,
  claimReserve,
  findClaimable,
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

/** Everything comes from the snapshot. Once it is too old, nothing new is read from it, and billing sells nothing. */
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
 * What this run may sell of the claimed reserve: no more than the allowances of today leave for one, less the charges of
 * it on this disk. Nothing if that is not certain.
 */
async function partsOf(
  claim: Claim,
  { reserve, config, log }: { reserve: Snapshot["reserve"]; config: Config; log: Log },
): Promise<ReservedAmount[]> {
  const charges =
    reserve.holder === claim.holder ? await chargesOfReserve(claim.directory, claim.holder) : null;
  if (charges === null) {
    log.error({ reserve: claim.holder }, "nothing is sold: it is unknown what the reserve has paid already");
    return [];
  }
  const allowance = outageOf(config)?.allowance ?? nanos(0n);
  return subtractCharges(limitReserve(reserve.parts, reserve.parts, allowance), charges);
}

/**
 * Claims the newest snapshot on disk that may be used. Throws ConfigError with the reason if there is none. A file that
 * cannot be used is not claimed.
 */
async function claimSnapshot(config: Config, secrets: Secrets) {
  if (snapshotMs(config) === 0) {
    throw new ConfigError("SNAPSHOT_MINUTES is 0, or nothing may be sold without the database");
  }
  const directory = arrearsDirectory(config);
  let reason: unknown = new ConfigError(
    "there is no snapshot of keys and prices that is up to date and that no other start has used",
  );
  for (const file of await findClaimable(directory)) {
    const snapshot = await readSnapshot(file.path, { config, secrets }).catch((error: unknown) => {
      reason = error;
      return null;
    });
    const claim = snapshot && (await claimReserve(directory, file));
    if (claim) {
      return { claim, snapshot };
    }
  }
  throw reason;
}

/** Throws ConfigError if there is no usable snapshot. */
export async function openStandIn(options: RuntimeOptions, isShut: () => boolean): Promise<Runtime> {
  const { config } = options;
  const secrets = loadSecrets(config);
  const log = options.log ?? createLog(config.LOG_LEVEL, undefined, options.name);
  // Before the age is read: a process that stands still in between must not serve for longer.
  const beganAt = stopwatch();
  const { claim, snapshot } = await claimSnapshot(config, secrets);
  const { takenAt, ageMs, keys, reserve } = snapshot;
  const parts = await partsOf(claim, { reserve, config, log });
  const longestMs = snapshotMs(config) - ageMs;
  const absence = awayFor({ longestMs, beganAt }, isShut);
  log.warn(
    {
      takenAt: new Date(takenAt).toISOString(),
      until: new Date(takenAt + snapshotMs(config)).toISOString(),
      ...{ keys: keys.length, accounts: parts.length, reserve: claim.holder },
    },
    "the database is away: calls are served from the snapshot; changes of keys, accounts and prices after " +
      "takenAt are unknown unless this server heard of them",
  );
  const terms = { reserve: { holder: claim.holder, parts }, longestMs };
  const standIn = { isShut, absence, terms, takenAt, kept: keptOf(snapshot, absence) };
  return await createRuntime({ ...options, log, standIn });
}
