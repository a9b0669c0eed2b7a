import { resealTotpSecrets } from "@/server/access";
import { resealChannels } from "@/server/channels";
import { refuseWrongSecrets, renewSecretChecks, vaultOf } from "@/server/secret-checks";
import { resealTasks } from "@/server/videos";
import { changing } from "./changing";
import type { Command } from "./command";

const target = { accountId: null, target: { id: "secrets", name: "secrets" } };

/**
 * Each row is committed for itself; the checks are renewed when all is done, so that a start knows what it still
 * needs.
 */
const rotate: Command = {
  summary:
    "Seal everything that is stored anew with the current ENCRYPTION_KEY; may run beside the server, and again",
  flags: {},
  run: async (context) => {
    const { db, secrets } = context;
    await refuseWrongSecrets(db.orm, secrets);
    const vault = vaultOf(secrets);
    const channels = await resealChannels(db.orm, vault);
    const secondFactors = await resealTotpSecrets(db.orm, vault);
    const tasks = await resealTasks(db.orm, vault);
    const done = {
      channels: channels.resealed,
      secondFactors: secondFactors.resealed,
      tasks: tasks.resealed,
      unreadable: channels.unreadable + secondFactors.unreadable + tasks.unreadable,
    };
    return await changing(context, "secrets.rotate", async (transaction) => {
      await renewSecretChecks(transaction, secrets);
      return { ...target, after: done, result: done };
    });
  },
};

const accept: Command = {
  summary:
    "Go on with the current secrets although the old ones are lost, and with them what they sealed and hashed",
  flags: {},
  run: (context) =>
    changing(context, "secrets.accept", async (transaction) => {
      await renewSecretChecks(transaction, context.secrets);
      return { ...target, result: { accepted: true } };
    }),
};

export const secretsCommands: Record<string, Command> = { rotate, accept };
