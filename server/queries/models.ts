import { z } from "zod";
import { getAccount } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import {
  getModel,
  isUnpriced,
  listCatalog,
  listPriceGroups,
  type Model,
  soldBelowCost,
} from "@/server/catalog";
import { findServedModels, listChannels } from "@/server/channels";
import { modelOperations } from "@/server/operations";
import { AccountId } from "@/server/operations/schema";
import { byField, fieldsOf } from "@/server/pricing";
import { paidPrices } from "./paid-prices";
import { belowCostIn } from "./price-groups";
import { query } from "./query";

type ModelEntry = Awaited<ReturnType<typeof getModel>>;

/**
 * Problems of an enabled model: it has no price, no combination to sell, no channel that serves it, or it is sold below
 * the cost at a channel in use, at the usual prices or at a group's.
 */
type Oddity = "unpriced" | "unsold" | "unserved" | "belowCost";

/** The catalog with the problems of its models, and models that channels serve although the catalog lacks them. */
export const list = query({
  needs: "staff.read",
  input: z.strictObject({}),
  read: async ({ db }) => {
    const entries = await listCatalog(db);
    const served = await findServedModels(db);
    const paid = await paidPrices(db, await listChannels(db));
    const inGroups = new Set([...(await belowCostIn(db, await listPriceGroups(db))).values()].flat());
    const odditiesOf = (entry: ModelEntry): Oddity[] => {
      const { id, isEnabled, kind, prices } = entry;
      const conditions = {
        unpriced: isUnpriced(entry),
        unsold: kind === "video" && prices.size === 0,
        unserved: !served.has(id),
        belowCost:
          inGroups.has(id) ||
          (paid.get(id) ?? []).some((costs) => soldBelowCost(prices, costs.prices).length > 0),
      };
      return isEnabled
        ? (["unpriced", "unsold", "unserved", "belowCost"] as const).filter((oddity) => conditions[oddity])
        : [];
    };
    const modelIds = new Set(entries.map(({ id }) => id));
    return {
      models: entries.map((entry) => ({ ...modelOperations.view(entry), oddities: odditiesOf(entry) })),
      missing: [...served].filter((id) => !modelIds.has(id)),
    };
  },
});

export const get = query({
  needs: "staff.read",
  input: modelOperations.create.input.pick({ id: true }),
  read: async ({ db }, { id }) => modelOperations.view(await getModel(db, id)),
});

/** A model for a buyer. Prices are decimals in currency units per million tokens, and per video. */
function onSale({ id, kind, ownedBy, isFree, maxOutputTokens, prices, ...model }: Model) {
  const fields = fieldsOf(prices);
  return inDecimals({
    ...{ id, kind, ownedBy, isFree, maxOutputTokens, prices: byField(prices) },
    contextWindow: model.contextWindow,
    inputModalities: model.inputModalities,
    outputModalities: model.outputModalities,
    hasTools: model.hasTools,
    hasThinking: model.hasThinking,
    videoPrices: fields.videoPrices,
    unitPrices: fields.unitPrices,
    conditionalPrices: fields.conditionalPrices,
  });
}

/** Models on sale, by identifier, at the prices of the account. */
export const listOnSale = query({
  needs: "account.read",
  input: z.strictObject({ accountId: AccountId }),
  read: async ({ db, catalog }, { accountId }) => {
    const { priceGroupId } = await getAccount(db, accountId);
    return (await catalog.list(priceGroupId)).map(onSale);
  },
});
