/** What sealed rows and hashes are made with; of the environment, so commands alone come here. */
import { z } from "zod";
import { resealTotpSecrets } from "@/server/access";
import { resealChannels } from "@/server/channels";
import { resealWebhooks } from "@/server/notifications";
import { resealTasks } from "@/server/videos";
import { type Door, operation, runOperation } from "./operation";
import { refuseWrongSecrets, renewSecretChecks } from "./secret-checks";

const Nothing = z.strictObject({});

const target = { accountId: null, target: { id: "secrets", name: "secrets" } };

/** Goes on with the current secrets although the old ones are lost, and with them what they sealed and hashed. */
export const accept = operation({
  needs: null,
  input: Nothing,
  run: async ({ db, secrets }) => {
    await renewSecretChecks(db, secrets);
    return { action: "secrets.accept", ...target, result: { accepted: true } };
  },
});

/**
 * Seals everything anew. Each row is committed for itself; the checks are renewed when all is done, so that a start
 * knows what it still needs. Throws ConfigError.
 */
export async function rotate(door: Door) {
  const { db, secrets, vault } = door;
  await refuseWrongSecrets(db, secrets);
  const channels = await resealChannels(db, vault);
  const secondFactors = await resealTotpSecrets(db, vault);
  const tasks = await resealTasks(db, vault);
  const webhooks = await resealWebhooks(db, vault);
  const sealed = {
    channels: channels.resealed,
    secondFactors: secondFactors.resealed,
    tasks: tasks.resealed,
    webhooks: webhooks.resealed,
    unreadable: channels.unreadable + secondFactors.unreadable + tasks.unreadable + webhooks.unreadable,
  };
  const done = operation({
    needs: null,
    input: Nothing,
    run: async ({ db }) => {
      await renewSecretChecks(db, secrets);
      return { action: "secrets.rotate", ...target, after: sealed, result: sealed };
    },
  });
  return await runOperation(door, done, {});
}
