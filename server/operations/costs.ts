/** Costs: the prices that channels charge us for their models. */
import { z } from "zod";
import { findPriceList, listCostPrices, saveCostPrices } from "@/server/catalog";
import { type Channel, getChannel, listNameOf, lockChannel } from "@/server/channels";
import type { Db } from "@/server/db";
import { stepOf } from "@/server/domain/factor";
import { Refusal } from "@/server/domain/refusal";
import { decimalsOf, type PriceSheet, toSheet } from "@/server/pricing";
import { operation, type TxContext } from "./operation";
import { Factor, factorsOf, markUpAll } from "./price-lists";
import { Price, PriceName, priceNames, pricesView } from "./prices";
import { ChannelId } from "./schema";

const MAX_PRICES = 200;

const Costs = z
  .array(z.strictObject({ name: PriceName, price: Price }))
  .max(MAX_PRICES)
  .refine((prices) => new Set(prices.map(({ name }) => name)).size === prices.length, "a name has one price")
  .describe(`All cost prices by name: ${priceNames}; empty: unknown cost`);

type CostChange = { channel: Channel; modelId: string; prices: PriceSheet };

/** Saves one change, and returns it for the audit log. */
async function save(db: Db, { channel, modelId, prices }: CostChange) {
  const before = await saveCostPrices(db, { channelId: channel.id, modelId, prices });
  return {
    action: "cost.set" as const,
    accountId: null,
    target: { id: channel.id, name: channel.name },
    before: { model: modelId, prices: decimalsOf(before) },
    after: { model: modelId, prices: decimalsOf(prices) },
  };
}

/** Sets all costs of a model at a channel, for calls from now on. */
export const set = operation({
  needs: "prices.write",
  input: z.strictObject({ channelId: ChannelId, modelId: z.string().min(1).max(256), prices: Costs }),
  run: async ({ db }, { channelId, modelId, prices }) => {
    const channel = await lockChannel(db, channelId);
    const entered = toSheet(prices.map(({ name, price }) => [name, price] as const));
    const changed = await save(db, { channel, modelId, prices: entered });
    return { ...changed, result: { channelId, channel: channel.name, modelId, prices: pricesView(entered) } };
  },
});

const Terms = z.strictObject({
  channelId: ChannelId,
  factor: Factor.optional().describe(
    "The factor for the list price, such as `0.8` for a discount; default `1`",
  ),
  rate: Factor.optional().describe(
    "The price of one unit of the list's currency in your currency; required only if they differ, and otherwise not allowed",
  ),
});

/** The price list of a channel's vendor. Throws Refusal if there is none. */
function listOf(channel: Channel) {
  const vendor = listNameOf(channel);
  const list = findPriceList(vendor);
  if (!list) {
    const { name } = channel;
    throw new Refusal(`there is no price list for the vendor of channel "${name}"`, "priceListNone", {
      name,
    });
  }
  return { vendor: vendor ?? "", ...list };
}

/** Sets a channel's costs from its vendor's public list. Models that are not on it keep their costs. */
export const importList = operation({
  needs: "prices.write",
  input: Terms,
  run: async ({ db, config }: TxContext, { channelId, factor, rate }) => {
    const channel = await lockChannel(db, channelId);
    const list = listOf(channel);
    const factors = factorsOf({ list, own: config.CURRENCY }, { factor, rate });
    const also = [];
    const models = [];
    const notListed: string[] = [];
    for (const [modelId, upstreamName] of Object.entries(channel.models)) {
      const listed = list.find(upstreamName) ?? list.find(modelId);
      if (listed) {
        const prices = markUpAll(listed, factors, stepOf());
        also.push(await save(db, { channel, modelId, prices }));
        models.push({ modelId, prices: pricesView(prices) });
      } else {
        notListed.push(modelId);
      }
    }
    const { vendor, source, date } = list;
    return {
      action: "cost.import" as const,
      accountId: null,
      target: { id: channel.id, name: channel.name },
      after: {
        vendor,
        date,
        factor: factor?.text ?? "1",
        ...(rate && { rate: rate.text }),
        models: also.length,
      },
      also,
      result: {
        channelId,
        channel: channel.name,
        vendor,
        source,
        date,
        models,
        notListed,
      },
    };
  },
});

/** Gives a channel the costs of another one, times a factor, for the models that both serve. */
export const copy = operation({
  needs: "prices.write",
  input: z.strictObject({
    channelId: ChannelId,
    from: ChannelId.describe("The channel whose costs are copied"),
    factor: Factor.optional().describe("The factor for its costs, such as `0.9`; default `1`"),
  }),
  run: async ({ db }, { channelId, from, factor }) => {
    const channel = await lockChannel(db, channelId);
    const other = await getChannel(db, from);
    const factors = factor ? [factor.factor] : [];
    const also = [];
    const models = [];
    for (const { modelId, prices: paid } of await listCostPrices(db, { channelId: from })) {
      if (Object.hasOwn(channel.models, modelId)) {
        const prices = markUpAll(paid, factors, stepOf());
        also.push(await save(db, { channel, modelId, prices }));
        models.push({ modelId, prices: pricesView(prices) });
      }
    }
    return {
      action: "cost.copy" as const,
      accountId: null,
      target: { id: channel.id, name: channel.name },
      after: { from: other.name, factor: factor?.text ?? "1", models: models.length },
      also,
      result: { channelId, channel: channel.name, from: other.name, models },
    };
  },
});
