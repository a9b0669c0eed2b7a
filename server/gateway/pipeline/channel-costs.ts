/** The costs of calls at their channels, by the channels' cost prices. */

import { type Nanos, nanos } from "@/server/base/money";
import type { SoldModel } from "@/server/catalog";
import type { ChannelId } from "@/server/domain/ids";
import { cost, priceLimits } from "@/server/pricing";
import type { Usage } from "@/server/protocol/usage/usage";
import { plausibleUsage, type UsageCeiling } from "./plausible-usage";

/** The model, with its cost prices, and the most that the call can use. */
type Bought = { model: SoldModel; ceiling: UsageCeiling };

/** The usage of one of a call's several upstream calls. */
export type Share = { usage: Usage; channelId: ChannelId };

/** A channel's charge to us: for all that it counts, sold or not, as far as the count is plausible. */
function costOfShare({ model, ceiling }: Bought, { usage, channelId }: Share): Nanos | undefined {
  const prices = model.costs.get(channelId);
  if (prices === undefined) {
    return undefined;
  }
  const counted = { ...usage, units: { request: 1, ...usage.units } };
  return cost(plausibleUsage(counted, ceiling), prices);
}

/** The cost of a call. undefined: one of its channels has no cost price. */
export function costOf(
  paid: Bought,
  { shares, usage, channelId }: Share & { shares?: Share[] },
): Nanos | undefined {
  const costs = (shares ?? [{ usage, channelId }]).map((share) => costOfShare(paid, share));
  return costs.reduce((sum, cost) =>
    sum === undefined || cost === undefined ? undefined : nanos(sum + cost),
  );
}

/**
 * The most that a call can cost at a channel, which compares channels: a tier counts only if the request names it. null:
 * the channel has no cost price.
 */
export const channelCostCeiling =
  (model: Pick<SoldModel, "costs">, ceiling: UsageCeiling) =>
  (channelId: ChannelId): Nanos | null => {
    const prices = model.costs.get(channelId);
    const most = { ...ceiling, units: { request: 1, ...ceiling.units }, tiers: ceiling.tiers ?? [null] };
    return prices ? priceLimits(most, prices).ceiling(ceiling.output) : null;
  };
