/** Models that are sold for less than a channel charges us. */
import { findAccountNames, listGroupMembers } from "@/server/access";
import {
  atGroupPrices,
  listCatalog,
  listPriceGroups,
  type PriceGroup,
  soldBelowCost,
} from "@/server/catalog";
import { listChannels } from "@/server/channels";
import type { Db } from "@/server/db";
import { paidPrices } from "./paid-prices";

/** `group`: whose prices are too low; null: the usual prices, which every other account pays. */
export type BelowCost = {
  modelId: string;
  channels: string[];
  group: { id: string; name: string; customers: string[] } | null;
};

/** For each group and model, the channels in use that cost more than the group pays; null: the usual prices. */
export async function belowCostAt(
  db: Db,
  groups: readonly (PriceGroup | null)[],
): Promise<{ group: PriceGroup | null; modelId: string; channels: string[] }[]> {
  const paid = await paidPrices(db, await listChannels(db));
  const sold = (await listCatalog(db)).filter(({ isEnabled }) => isEnabled);
  return groups.flatMap((group) =>
    sold.flatMap((model) => {
      const { prices } = group ? atGroupPrices(model, group) : model;
      const channels = (paid.get(model.id) ?? []).flatMap((paidAt) =>
        soldBelowCost(prices, paidAt.prices).length > 0 ? [paidAt.channel] : [],
      );
      return channels.length > 0 ? [{ group, modelId: model.id, channels }] : [];
    }),
  );
}

/**
 * The models that some account buys below cost: groups without accounts are left out. A group that pays the usual price
 * of a model is in the entry of that price.
 */
export async function findBelowCost(db: Db): Promise<BelowCost[]> {
  const members = await listGroupMembers(db);
  const groups = (await listPriceGroups(db)).filter(({ id }) => (members.get(id) ?? []).length > 0);
  const names = await findAccountNames(db, [...members.values()].flat());
  const found = await belowCostAt(db, [null, ...groups]);
  const usual = new Set(found.flatMap(({ group, modelId }) => (group ? [] : [modelId])));
  return found
    .filter(({ group, modelId }) => group === null || !usual.has(modelId))
    .map(({ group, ...at }) => ({
      ...at,
      group: group && {
        ...{ id: group.id, name: group.name },
        customers: (members.get(group.id) ?? []).flatMap((id) => names.get(id) ?? []),
      },
    }));
}
