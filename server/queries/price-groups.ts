import { z } from "zod";
import { listGroupMembers } from "@/server/access";
import { listPriceGroups } from "@/server/catalog";
import { priceGroupOperations } from "@/server/operations";
import { belowCostAt } from "./below-cost";
import { query } from "./query";

/** Groups by name, each with the number of accounts that pay its prices, and the models sold below cost. */
export const list = query({
  needs: "staff.read",
  input: z.strictObject({}),
  read: async ({ db }) => {
    const groups = await listPriceGroups(db);
    const members = await listGroupMembers(db);
    const below = await belowCostAt(db, groups);
    return groups.map((group) => ({
      id: group.id,
      ...priceGroupOperations.viewOf(group),
      accounts: members.get(group.id)?.length ?? 0,
      belowCost: below.flatMap((found) => (found.group === group ? [found.modelId] : [])),
      createdAt: group.createdAt,
    }));
  },
});
