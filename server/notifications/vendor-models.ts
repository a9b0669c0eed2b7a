import { type Channels, claimModelCheck, storeModelCheck } from "@/server/channels";
import { type Db, transaction } from "@/server/db";
import { announce } from "./announce";

/** Names of models in an event: further ones are only counted. */
const NAMED = 20;

/**
 * Asks the next vendor that is due for its models, and announces those that it has added or removed since an operator
 * looked. Returns false if none is due. The vendor is asked outside a transaction; if this process dies meanwhile, another
 * one asks again.
 */
export async function announceModels(
  { db, channels }: { db: Db; channels: Pick<Channels, "listModels"> },
  now: Date,
): Promise<boolean> {
  const channelId = await claimModelCheck(db);
  if (channelId === null) {
    return false;
  }
  const list = await channels.listModels(channelId);
  await transaction(db, async (tx) => {
    const changed = await storeModelCheck(tx, channelId, list);
    if (changed) {
      const { newModels, goneModels } = changed;
      const data = {
        ...{ channel_id: channelId, channel: changed.name },
        ...{ added: newModels.length, removed: goneModels.length },
        models: [...newModels, ...goneModels].slice(0, NAMED).join(", "),
      };
      await announce(tx, { type: "channel.models_changed", accountId: null, at: now, data });
    }
  });
  return true;
}
