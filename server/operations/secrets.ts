/**
 * Operations on the secrets that seal rows and make hashes; they are in the environment, so only commands run these.
 */
import { z } from "zod";
import { resealTotpSecrets } from "@/server/access";
import { resealChannels } from "@/server/channels";
import { resealWebhooks } from "@/server/notifications";
import { resealTasks } from "@/server/videos";
import { type OperationContext, operation, runOperation } from "./operation";
import { refuseWrongSecrets, renewSecretChecks } from "./secret-checks";

const Nothing = z.strictObject({});

const target = { accountId: null, target: { id: "secrets", name: "secrets" } };

/**
 * Continues with the current secrets although the old ones are lost, and with them everything that they sealed and
 * hashed.
 */
export const accept = operation({
  needs: null,
  input: Nothing,
  run: async ({ db, secrets }) => {
    await renewSecretChecks(db, secrets);
    return { action: "secrets.accept", ...target, result: { accepted: true } };
  },
});

/**
 * Reseals everything. Each row is committed by itself; the checks are renewed at the end, so that a start knows which
 * secrets it still needs. Throws ConfigError.
 */
export async function rotate(door: OperationContext) {
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
