/** The steps of a start that need the rooms. `main.ts` loads them while the database starts. */
import { createGatekeeper } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import type { Config } from "@/server/base/config";
import { createLog } from "@/server/base/log";
import { loadSecrets } from "@/server/base/secrets";
import { vaultOf } from "@/server/base/vault";
import { findDistribution, openDatabase } from "@/server/db";
import { localPool } from "@/server/domain/shares";
import { ensureSecretChecks } from "@/server/operations";
import { type FirstBoot, firstBoot } from "./first-boot";

export { prepareSchema, refusePoolers } from "./schema";

/**
 * Checks the secrets and adds what the installation lacks, before calls may come. Without a runtime: that opens ten
 * connections, and a start has no use for them.
 */
export async function bootOnce(
  config: Config,
  { url, say }: { url: string; say: (line: string) => void },
): Promise<FirstBoot> {
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
