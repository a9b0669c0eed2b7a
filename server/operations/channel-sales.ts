/** Puts a vendor's models on sale at a channel: routes, models, prices and costs in one change. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import {
  createModel,
  getModel,
  listCatalog,
  lockModel,
  type Model,
  saveCostPrices,
  saveModel,
} from "@/server/catalog";
import { ModelChange } from "@/server/catalog/schema";
import {
  addChannel,
  type Channel,
  findVendor,
  listChannels,
  lockChannel,
  updateChannel,
} from "@/server/channels";
import { ChannelSettings, Credential, MAX_CREDENTIALS } from "@/server/channels/settings/schema";
import { modelKinds, vendorApis } from "@/server/domain/enums";
import { stepOf } from "@/server/domain/factor";
import { kindByName } from "@/server/domain/model-kinds";
import { Refusal } from "@/server/domain/refusal";
import { decimalsOf, emptySheet, isNoPrice, type PriceSheet, toSheet } from "@/server/pricing";
import { change as channelChange, ModelName } from "./channels";
import { change as modelChange } from "./models";
import { byNameOnly, type Endpoint, listPriceOf, longestAnswerOf, makerOf, standOf } from "./offers";
import { operation, type TxContext } from "./operation";
import { Factor, factorsOf, markUpAll } from "./price-lists";
import { Price, PriceName, priceNames } from "./prices";
import { ChannelId } from "./schema";

/** In one change: the longest vendor's list that we know has 700 models. */
const MOST_MODELS = 1_000;

const Prices = z
  .array(z.strictObject({ name: PriceName, price: Price }))
  .max(200)
  .refine((prices) => new Set(prices.map(({ name }) => name)).size === prices.length, "a name has one price");

const SoldModel = z.strictObject({
  upstreamName: ModelName,
  modelId: ModelName.optional().describe("The name for clients; default: the upstream name"),
  kind: z.enum(modelKinds).optional().describe("Default: as the name shows"),
  contextWindow: ModelChange.shape.contextWindow,
  maxOutputTokens: ModelChange.shape.maxOutputTokens.describe("Default: as known for the model"),
  listPrices: Prices.optional().describe("Default: those of the stored list of the vendor"),
  prices: Prices.optional().describe(`Prices in place of list price times factor: ${priceNames}`),
});

const Terms = z.strictObject({
  models: z
    .array(SoldModel)
    .max(MOST_MODELS)
    .refine(
      (models) =>
        new Set(models.map(({ modelId, upstreamName }) => modelId ?? upstreamName)).size === models.length,
      "a model is named once",
    ),
  priceFactor: Factor.optional().describe("Your price as a factor of the list price; default `1.2`"),
  costFactor: Factor.optional().describe(
    "What you pay as a factor of the list price, such as `0.6`; default `1`",
  ),
  rate: Factor.optional().describe(
    "The price of one unit of the list's currency in your currency; required only if they differ",
  ),
});
type Terms = z.output<typeof Terms>;
type Sold = z.output<typeof SoldModel>;

/** A channel's name has at most 100, of which a number takes some. */
const HOST_CHARACTERS = 90;

const DEFAULT_PRICE = { factor: 1_200_000n, text: "1.2" };
const DEFAULT_COST = { factor: 1_000_000n, text: "1" };

const sheetOf = (prices: z.output<typeof Prices>): PriceSheet =>
  toSheet(prices.map(({ name, price }) => [name, price] as const));

/** The list's prices times factors, without those that are none. */
const timesAll = (listed: PriceSheet, factors: readonly bigint[]): PriceSheet =>
  toSheet([...markUpAll(listed, factors, stepOf())].filter(([name, price]) => !isNoPrice(name, price)));

/** Computes prices and costs. The exchange rate is needed only if a list price is used. */
function termsOf(endpoint: Endpoint, own: string, { priceFactor, costFactor, rate }: Terms) {
  const { currency, find } = listPriceOf(endpoint);
  const listedOf = ({ upstreamName: name, listPrices }: Sold) =>
    find({ name, prices: listPrices ? sheetOf(listPrices) : null });
  const at = (factor: z.output<typeof Factor>, listed: PriceSheet) =>
    timesAll(listed, factorsOf({ list: { currency }, own }, { factor, rate }));
  return {
    priceOf: (sold: Sold): PriceSheet => {
      if (sold.prices) {
        return sheetOf(sold.prices);
      }
      const listed = listedOf(sold);
      return listed ? at(priceFactor ?? DEFAULT_PRICE, listed) : emptySheet;
    },
    costOf: (sold: Sold): PriceSheet | null => {
      const listed = listedOf(sold);
      return listed && at(costFactor ?? DEFAULT_COST, listed);
    },
  };
}

type Selling = {
  sold: Sold;
  modelId: string;
  entry: Model | undefined;
  endpoint: Endpoint;
  prices: PriceSheet;
};

/** Saves a model that is new or has no price. Others keep their terms. null: nothing to change. */
async function saveTerms({ db, actor }: TxContext, { sold, modelId, entry, endpoint, prices }: Selling) {
  const { upstreamName, contextWindow, maxOutputTokens } = sold;
  const kind = sold.kind ?? entry?.kind ?? kindByName(upstreamName) ?? "chat";
  const stand = standOf(entry, kind);
  if (stand === "otherKind") {
    throw new Refusal(`"${modelId}" already exists with another kind`, "modelKindFixed");
  }
  if (stand === "new") {
    const named = { ...byNameOnly(upstreamName), maxOutputTokens: maxOutputTokens ?? null };
    const maker = makerOf(upstreamName, endpoint);
    const longest = longestAnswerOf(kind, named, endpoint);
    // The facts of public lists fill what is not named.
    const limits = contextWindow == null ? {} : { contextWindow };
    const terms = { ...limits, isEnabled: true, prices, maxOutputTokens: longest, ownedBy: maker };
    await createModel(db, { id: modelId, kind, ...terms }, actor.name);
    return modelChange(null, await getModel(db, modelId));
  }
  if (stand === "unpriced" && prices.size > 0) {
    const before = await lockModel(db, modelId);
    await saveModel(db, { id: modelId, kind, prices }, actor.name);
    return modelChange(before, await getModel(db, modelId));
  }
  return null;
}

/** `change`: the entry of the channel itself; null if its models stay the same. */
type Sale = { channel: Channel; change: ReturnType<typeof channelChange> | null; terms: Terms };

/** Saves models, prices and costs of a channel that serves them by now. */
async function sell(call: TxContext, { channel, change, terms }: Sale) {
  const { db, config } = call;
  const { priceOf, costOf } = termsOf(channel, config.CURRENCY, terms);
  const catalog = new Map((await listCatalog(db)).map((entry) => [entry.id, entry]));
  const saved = [];
  // Every sale takes the locks in this order.
  const models = terms.models.map((sold) => ({ sold, modelId: sold.modelId ?? sold.upstreamName }));
  for (const { sold, modelId } of models.sort((left, right) => (left.modelId < right.modelId ? -1 : 1))) {
    const selling = { sold, modelId, entry: catalog.get(modelId), endpoint: channel, prices: priceOf(sold) };
    const done = await saveTerms(call, selling);
    saved.push(...(done ? [done] : []));
    const costs = costOf(sold);
    if (costs && costs.size > 0) {
      await saveCostPrices(db, { channelId: channel.id, modelId, prices: costs });
      saved.push(costChange(channel, modelId, costs));
    }
  }
  const after = new Map((await listCatalog(db)).map((entry) => [entry.id, entry]));
  const isSold = ({ modelId }: { modelId: string }) => {
    const entry = after.get(modelId);
    return entry !== undefined && standOf(entry, entry.kind) === "onSale";
  };
  const { priceFactor = DEFAULT_PRICE, costFactor = DEFAULT_COST, rate } = terms;
  return {
    action: "channel.sell" as const,
    accountId: null,
    target: { id: channel.id, name: channel.name },
    after: {
      models: models.length,
      priceFactor: priceFactor.text,
      costFactor: costFactor.text,
      ...(rate && { rate: rate.text }),
    },
    also: [...(change ? [change] : []), ...saved].map((each) => ({ ...each, result: undefined })),
    result: {
      ...{ channelId: channel.id, channel: channel.name },
      onSale: models.filter(isSold).map(({ modelId }) => modelId),
      unpriced: models.filter((model) => !isSold(model)).map(({ modelId }) => modelId),
    },
  };
}

const costChange = (channel: Channel, modelId: string, prices: PriceSheet) => ({
  action: "cost.set" as const,
  accountId: null,
  target: { id: channel.id, name: channel.name },
  after: { model: modelId, prices: decimalsOf(prices) },
});

const mapOf = (models: readonly Sold[]): Record<string, string> =>
  Object.fromEntries(models.map(({ modelId, upstreamName }) => [modelId ?? upstreamName, upstreamName]));

/** Text that is no URL, which the channel's own check refuses, is its own name until then. */
const hostOf = (baseUrl: string) =>
  ((URL.canParse(baseUrl) && new URL(baseUrl).host) || baseUrl).slice(0, HOST_CHARACTERS);

/** The vendor's name, with a number if another channel has it. */
async function freeName({ db }: TxContext, name: string): Promise<string> {
  const takenNames = new Set((await listChannels(db)).map((channel) => channel.name));
  let free = name;
  for (let number = 2; takenNames.has(free); number++) {
    free = `${name} ${number}`;
  }
  return free;
}

/** Adds a channel and puts models on sale at it. */
export const open = operation({
  needs: "channels.write",
  input: ChannelSettings.partial().extend({
    dialect: z.enum(vendorApis).optional().describe("Default: that of the vendor"),
    name: ChannelSettings.shape.name.optional().describe("Default: that of the vendor"),
    baseUrl: ChannelSettings.shape.baseUrl.optional().describe("Default: that of the vendor"),
    secrets: z.array(Credential).min(1).max(MAX_CREDENTIALS),
    ...Terms.shape,
  }),
  run: async (call, { models, priceFactor, costFactor, rate, ...settings }) => {
    const preset = settings.vendor == null ? null : findVendor(settings.vendor);
    const dialect = settings.dialect ?? preset?.dialect;
    const baseUrl = settings.baseUrl ?? preset?.baseUrl;
    if (!dialect || !baseUrl) {
      throw new Refusal("name a vendor, or a dialect and a base URL", "vendorUnknown");
    }
    const name = settings.name ?? (await freeName(call, preset?.name ?? hostOf(baseUrl)));
    const draft = { ...settings, name, dialect, baseUrl, models: mapOf(models) };
    const channel = await addChannel(call.db, draft, call.vault);
    const change = channelChange("channel.create", channel, { after: channel });
    return await sell(call, { channel, change, terms: { models, priceFactor, costFactor, rate } });
  },
});

/** Puts more models on sale at a channel, and stops serving those that its vendor has no longer. */
export const add = operation({
  needs: "channels.write",
  input: z.strictObject({
    channelId: ChannelId,
    ...Terms.shape,
    drops: z.array(ModelName).max(MOST_MODELS).optional().describe("Models that the channel stops serving"),
  }),
  run: async (call, { channelId, drops = [], ...terms }) => {
    const before = await lockChannel(call.db, channelId);
    const kept = Object.entries(before.models).filter(([modelId]) => !drops.includes(modelId));
    const models = { ...Object.fromEntries(kept), ...mapOf(terms.models) };
    if (isDeepStrictEqual(models, before.models)) {
      return await sell(call, { channel: before, change: null, terms });
    }
    const channel = await updateChannel(call.db, { channelId, models }, call.vault);
    const change = channelChange("channel.update", channel, { before, after: channel });
    return await sell(call, { channel, change, terms });
  },
});
