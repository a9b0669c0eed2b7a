import { z } from "zod";
import { getAccount } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import type { ModelFigures, ModelTraffic } from "@/server/calls";
import { getModel, isUnpriced, listCatalog, type Model } from "@/server/catalog";
import { findServedModels } from "@/server/channels";
import { modelOperations } from "@/server/operations";
import { AccountId } from "@/server/operations/schema";
import { byField, fieldsOf } from "@/server/pricing";
import { findBelowCost } from "./below-cost";
import { query } from "./query";

type ModelEntry = Awaited<ReturnType<typeof getModel>>;

/**
 * Problems of an enabled model: it has no price, no combination to sell, no channel that serves it, or it is sold below
 * the cost at a channel in use, at the usual prices or at those of a group with accounts.
 */
type Oddity = "unpriced" | "unsold" | "unserved" | "belowCost";

/** The catalog with the problems of its models, and models that channels serve although the catalog lacks them. */
export const list = query({
  needs: "staff.read",
  input: z.strictObject({}),
  read: async ({ db }) => {
    const entries = await listCatalog(db);
    const served = await findServedModels(db);
    const belowCost = new Set((await findBelowCost(db)).map(({ modelId }) => modelId));
    const odditiesOf = (entry: ModelEntry): Oddity[] => {
      const { id, isEnabled, kind, prices } = entry;
      const conditions = {
        unpriced: isUnpriced(entry),
        unsold: kind === "video" && prices.size === 0,
        unserved: !served.has(id),
        belowCost: belowCost.has(id),
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

/**
 * A model's traffic for a buyer: of the last day, or of the last week if the day had too few calls. null: both had. It is
 * of all accounts together, so a buyer gets shares and medians of it, and no number of calls.
 */
function shownTraffic(traffic: ModelTraffic | undefined) {
  const over = (["day", "week"] as const).find((span) => typeof traffic?.[span].uptime === "number");
  if (!traffic || !over) {
    return null;
  }
  const { uptime, latencyMs, tokensPerSecond } = traffic[over];
  return {
    over,
    uptime: Math.round((uptime ?? 0) * 1_000) / 1_000,
    latencyMs,
    tokensPerSecond: tokensPerSecond === null ? null : Math.round(tokensPerSecond),
  };
}

const noTraffic: ModelFigures = { calls: 0, uptime: null, latencyMs: null, tokensPerSecond: null };

/** A model's traffic of the last 24 hours and of the last 7 days, with its number of calls. */
export const traffic = query({
  needs: "staff.read",
  input: modelOperations.create.input.pick({ id: true }),
  read: async ({ db, modelHours }, { id }) => {
    await getModel(db, id);
    return (await modelHours.traffic()).get(id) ?? { day: noTraffic, week: noTraffic };
  },
});

/** Models on sale, by identifier, at the prices of the account. */
export const listOnSale = query({
  needs: "account.read",
  input: z.strictObject({ accountId: AccountId }),
  read: async ({ db, catalog, modelHours }, { accountId }) => {
    const { priceGroupId } = await getAccount(db, accountId);
    const figures = await modelHours.traffic();
    return (await catalog.list(priceGroupId)).map((model) => ({
      ...onSale(model),
      traffic: shownTraffic(figures.get(model.id)),
    }));
  },
});
