import { z } from "zod";
import { listGroupMembers } from "@/server/access";
import {
  atGroupPrices,
  listCatalog,
  listPriceGroups,
  type PriceGroup,
  soldBelowCost,
} from "@/server/catalog";
import { listChannels } from "@/server/channels";
import type { Db } from "@/server/db";
import { priceGroupOperations } from "@/server/operations";
import { paidPrices } from "./paid-prices";
import { query } from "./query";

/** For each group, the models that it sells below the cost at a channel in use. */
export async function belowCostIn(db: Db, groups: readonly PriceGroup[]): Promise<Map<string, string[]>> {
  const paid = await paidPrices(db, await listChannels(db));
  const sold = (await listCatalog(db)).filter(({ isEnabled }) => isEnabled);
  const isBelow = (group: PriceGroup, model: (typeof sold)[number]) =>
    (paid.get(model.id) ?? []).some(
      ({ prices }) => soldBelowCost(atGroupPrices(model, group).prices, prices).length > 0,
    );
  return new Map(
    groups.map((group) => [group.id, sold.filter((model) => isBelow(group, model)).map(({ id }) => id)]),
  );
}

/** Groups by name, each with the number of accounts that pay its prices, and the models sold below cost. */
export const list = query({
  needs: "staff.read",
  input: z.strictObject({}),
  read: async ({ db }) => {
    const groups = await listPriceGroups(db);
    const members = await listGroupMembers(db);
    const below = await belowCostIn(db, groups);
    return groups.map((group) => ({
      id: group.id,
      ...priceGroupOperations.viewOf(group),
      accounts: members.get(group.id)?.length ?? 0,
      belowCost: below.get(group.id) ?? [],
      createdAt: group.createdAt,
    }));
  },
});
