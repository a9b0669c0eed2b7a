import { listCostPrices, type PaidPrices } from "@/server/catalog";
import type { Channel } from "@/server/channels";
import type { Db } from "@/server/db";

/** Costs by model at the channels that serve it now. A disabled channel has no costs. */
export async function paidPrices(
  db: Db,
  channels: readonly Pick<Channel, "id" | "name" | "isEnabled" | "models">[],
): Promise<ReadonlyMap<string, PaidPrices[]>> {
  const serving = new Map(channels.filter(({ isEnabled }) => isEnabled).map((each) => [each.id, each]));
  const paid = new Map<string, PaidPrices[]>();
  for (const { channelId, modelId, prices } of await listCostPrices(db)) {
    const channel = serving.get(channelId);
    if (channel && Object.hasOwn(channel.models, modelId)) {
      paid.set(modelId, [...(paid.get(modelId) ?? []), { channel: channel.name, prices }]);
    }
  }
  return paid;
}
