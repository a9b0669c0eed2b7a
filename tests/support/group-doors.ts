import type { Caller, Door } from "./code-doors";

/** What is done with price groups, by every door. The account that a group is for is put back before it is removed. */
export const groupSteps = (operator: () => Caller): Record<string, Door> => ({
  "price_group.create": {
    console: ({ name }) =>
      operator().prices.createGroup({ name, factor: "0.8", models: [{ modelId: name, factor: "0.7" }] }),
    command: ({ name }) => `price-group create --name ${name} --factor 0.8 --model ${name}=0.7`,
    admin: ({ name }) => [
      "POST /price-groups",
      { name, factor: "0.8", models: [{ model_id: name, factor: "0.7" }] },
    ],
    learn: (of, { id }) => void Object.assign(of, { groupId: id }),
  },
  "price_group.update": {
    console: ({ groupId }) => operator().prices.updateGroup({ priceGroupId: groupId, factor: "0.85" }),
    command: ({ name }) => `price-group set --group ${name} --factor 0.85`,
    admin: ({ groupId }) => [`PATCH /price-groups/${groupId}`, { factor: "0.85" }],
  },
  "account.set_price_group": {
    console: ({ accountId, groupId }) =>
      operator().accounts.setPriceGroup({ accountId, priceGroupId: groupId }),
    command: ({ name }) => `account set-price-group --account ${name} --group ${name}`,
    admin: ({ accountId, groupId }) => [`PATCH /accounts/${accountId}`, { price_group_id: groupId }],
  },
  "price_group.remove": {
    console: ({ groupId }) => operator().prices.removeGroup({ priceGroupId: groupId }),
    command: ({ name }) => `price-group remove --group ${name}`,
    admin: ({ groupId }) => [`DELETE /price-groups/${groupId}`],
  },
});
