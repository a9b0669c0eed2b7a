/**
 * The steps of a start that need the rooms, in a process that then ends: in the parent, their code would stay in memory.
 * It is loaded while the database starts.
 */
import { createGatekeeper } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { ConfigError, loadConfig } from "@/server/base/config";
import { createLog } from "@/server/base/log";
import { loadSecrets } from "@/server/base/secrets";
import { vaultOf } from "@/server/base/vault";
import { findDistribution, openDatabase } from "@/server/db";
import { localPool } from "@/server/domain/shares";
import { ensureSecretChecks } from "@/server/operations";
import { snapshotMs } from "../runtime/snapshot";
import { type FirstBoot, firstBoot } from "./first-boot";
import type { ToParent } from "./messages";
import { linkToParent } from "./parent-link";
import { reachDatabase } from "./reach";
import { prepareSchema, refusePoolers } from "./schema";

const config = loadConfig();
const say = (line: string) => void process.stdout.write(`${line}\n`);

/**
 * Checks the secrets and adds what the installation lacks, before calls may come. Without a runtime: that opens ten
 * connections, and a start has no use for them.
 */
async function bootOnce(url: string): Promise<FirstBoot> {
  const secrets = loadSecrets(config);
  const isDistributed = await findDistribution(url);
  const db = openDatabase(url, { connections: 2, isDistributed });
  const access = createGatekeeper({
    ...{ db, clock: systemClock, log: createLog("silent"), redisUrl: undefined, onRedisFallback: () => {} },
    ...{ pepper: secrets.keyPepper, previousPepper: secrets.previous.keyPepper, trustedProxies: [] },
    ...{ places: localPool(1), videosPerMinute: 1 },
  });
  try {
    await ensureSecretChecks(db, secrets);
    return await firstBoot({ config, db, secrets, access, vault: vaultOf(secrets) }, say);
  } finally {
    access.close();
    await db.close();
  }
}

const link = linkToParent();

/** Sends the last message, and ends once it is sent. */
const end = (message: ToParent) => process.send?.(message, undefined, undefined, () => process.exit(0));

async function prepare(url: string): Promise<FirstBoot> {
  if (config.DATABASE_URL) {
    await refusePoolers(url);
  }
  await prepareSchema(config, { url, say });
  link.send({ kind: "migrated" });
  return await bootOnce(url);
}

async function boot(url: string): Promise<void> {
  try {
    const made = await reachDatabase(() => prepare(url), {
      ...{ url, mayWait: snapshotMs(config) > 0 },
      onAway: () => link.send({ kind: "away" }),
    });
    end({ kind: "booted", made });
  } catch (error) {
    const words = error instanceof ConfigError ? error.message : String((error as Error)?.stack ?? error);
    end({ kind: "failed", words });
  }
}

link.onGone(() => process.exit(1));
link.on("boot", ({ url }) => void boot(url));
