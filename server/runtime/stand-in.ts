/**
 * A runtime that serves from the snapshot, out of adopted parts of outage allowances, because the database was away when
 * its server started. It does not use the database before the server has prepared it.
 */
import type { KnownKey } from "@/server/access";
import { createKeptKeys } from "@/server/access";
import { ConfigError } from "@/server/base/config";
import { GatewayError } from "@/server/base/errors";
import { createLog } from "@/server/base/log";
import { loadSecrets } from "@/server/base/secrets";
import { vaultOf } from "@/server/base/vault";
import { adoptParts } from "@/server/billing";
import { stockOf } from "@/server/catalog";
import { type Absence, awayFor } from "@/server/db";
import { arrearsDirectory, type Kept } from "./rooms";
import { createRuntime, type Runtime, type RuntimeOptions } from "./runtime";
import { readSnapshot, type Snapshot, snapshotMs } from "./snapshot";

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

/** Throws ConfigError if there is no usable snapshot. */
export async function openStandIn(options: RuntimeOptions, isShut: () => boolean): Promise<Runtime> {
  const { config } = options;
  const secrets = loadSecrets(config);
  const log = options.log ?? createLog(config.LOG_LEVEL, undefined, options.name);
  if (snapshotMs(config) === 0) {
    throw new ConfigError("SNAPSHOT_MINUTES is 0, or nothing may be sold without the database");
  }
  const { ageMs, ...snapshot } = await readSnapshot(config, secrets);
  const adopted = await adoptParts({ directory: arrearsDirectory(config), vault: vaultOf(secrets), log });
  const absence = awayFor(snapshotMs(config) - ageMs);
  log.warn(
    {
      takenAt: new Date(snapshot.takenAt).toISOString(),
      keys: snapshot.keys.length,
      parts: adopted.parts.length,
    },
    "the database is away: calls are served from the snapshot",
  );
  const standIn = { isShut, absence, adopted, takenAt: snapshot.takenAt, kept: keptOf(snapshot, absence) };
  return await createRuntime({ ...options, log, standIn });
}
