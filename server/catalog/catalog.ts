import { createCache } from "@/server/base/cache";
import { type Clock, systemClock } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere } from "@/server/base/eventual";
import type { Db } from "@/server/db";
import type { ModelKind } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { atTime, type DailyWindow, isWithin, type PriceSheet, windowsOf } from "@/server/pricing";
import { listCostPrices } from "./cost-prices";
import { isUnpriced, listWritten, type Model } from "./entries";
import { type DatedPrice, listToCome, pricedAt } from "./model-prices";
import { atGroupPrices, listPriceGroups, type PriceGroup } from "./price-groups";

/** A model with its costs by channel, for the channels whose cost was entered. */
export type SoldModel = Model & {
  costs: ReadonlyMap<ChannelId, PriceSheet>;
  /** The daily window whose prices it has now. Left out: the prices are those of any time. */
  window?: DailyWindow | undefined;
};

export type Catalog = {
  /**
   * The models on sale, by identifier: enabled, and with a price or marked as free by an operator. At the prices of
   * this moment; of a price group, if one is named.
   */
  list: (priceGroupId?: string | null) => Promise<SoldModel[]>;
  /** One model on sale, at the prices of a call that begins now. Throws the 404 of spec section 7. */
  get: (id: string, kind: ModelKind, priceGroupId: string | null) => Eventual<SoldModel>;
  forget: () => void;
};

type SoldModels = ReadonlyMap<string, SoldModel>;

/**
 * The models on sale between two moments at which a price begins. `byGroup`: at each group's prices, computed at the
 * first use.
 */
type Offer = { from: Date; until: Date | null; models: SoldModels; byGroup: Map<string, SoldModels> };

/** The catalog as read from the database. `offer` is computed from it once for each span without a price change. */
type Stock = {
  written: Model[];
  toCome: DatedPrice[];
  costs: ReadonlyMap<string, ReadonlyMap<ChannelId, PriceSheet>>;
  groups: ReadonlyMap<string, PriceGroup>;
  offer: Offer | null;
};

/** `former`: groups known before. A removed group is kept, for calls that began before its removal. */
async function readStock(db: Db, former: Stock["groups"]): Promise<Stock> {
  // Reads scheduled prices first: a price that begins and is written between the two reads is then in one of them.
  const toCome = await listToCome(db);
  const written = (await listWritten(db)).filter((entry) => entry.isEnabled);
  const costs = new Map(written.map(({ id }) => [id, new Map<ChannelId, PriceSheet>()]));
  for (const { channelId, modelId, prices } of await listCostPrices(db)) {
    costs.get(modelId)?.set(channelId, prices);
  }
  const groups = new Map([
    ...former,
    ...(await listPriceGroups(db)).map((group) => [group.id, group] as const),
  ]);
  return { written, toCome, costs, groups, offer: null };
}

function offerAt(stock: Stock, at: Date): Offer {
  const offer = stock.offer;
  if (offer && offer.from <= at && (offer.until === null || at < offer.until)) {
    return offer;
  }
  const next = stock.toCome.find(({ beginsAt }) => beginsAt > at);
  const models = pricedAt(stock.written, stock.toCome, at)
    .filter((model) => !isUnpriced(model))
    .map((model): SoldModel => ({ ...model, costs: stock.costs.get(model.id) ?? new Map() }));
  stock.offer = {
    from: at,
    until: next?.beginsAt ?? null,
    models: new Map(models.map((model) => [model.id, model])),
    byGroup: new Map(),
  };
  return stock.offer;
}

/** A model at the prices of its daily windows, for a call that begins now. */
function atMoment(model: SoldModel, at: Date): SoldModel {
  const sheets = [model.prices, ...model.costs.values()];
  if (sheets.every((sheet) => windowsOf(sheet).length === 0)) {
    return model;
  }
  return {
    ...model,
    prices: atTime(model.prices, at),
    costs: new Map([...model.costs].map(([id, sheet]) => [id, atTime(sheet, at)])),
    window: windowsOf(model.prices).find((window) => isWithin(window, at)),
  };
}

/** The models on sale at a group's prices. null: unknown group. */
function soldTo(stock: Stock, at: Date, priceGroupId: string | null): SoldModels | null {
  const { models, byGroup } = offerAt(stock, at);
  if (priceGroupId === null) {
    return models;
  }
  const group = stock.groups.get(priceGroupId);
  if (!group) {
    return null;
  }
  const cached = byGroup.get(priceGroupId);
  const sold = cached ?? new Map([...models].map(([id, model]) => [id, atGroupPrices(model, group)]));
  byGroup.set(priceGroupId, sold);
  return sold;
}

/** `heardAt`: as for `createCache`. */
export function createCatalog(deps: {
  db: Db;
  clock?: Clock;
  heardAt?: (() => number) | undefined;
}): Catalog {
  const { db, clock = systemClock } = deps;
  // One cache entry: the whole list is small and every request needs a part of it.
  let groups: Stock["groups"] = new Map();
  async function readAnew() {
    const stock = await readStock(db, groups);
    groups = stock.groups;
    return stock;
  }
  const cache = createCache(readAnew, { maxAgeMs: 30_000, maxEntries: 1, heardAt: deps.heardAt });
  // Reads the clock each time, so that a new price begins in every process at the same moment.
  const read = (group: string | null) =>
    whenHere(cache.get("models"), (stock) => soldTo(stock, clock(), group));
  // This process may learn of an account's new group before it has read the group. It reads again, and refuses rather
  // than charge other prices.
  async function readAgain(priceGroupId: string | null): Promise<SoldModels> {
    cache.forget();
    const sold = await read(priceGroupId);
    if (!sold) {
      throw new GatewayError("unavailable", "", { cause: new Error(`no price group ${priceGroupId}`) });
    }
    return sold;
  }
  const onSale = (priceGroupId: string | null): Eventual<SoldModels> =>
    whenHere(read(priceGroupId), (cached) => cached ?? readAgain(priceGroupId));
  return {
    list: async (priceGroupId = null) => [...(await onSale(priceGroupId)).values()],
    get: (id, kind, priceGroupId) =>
      whenHere(onSale(priceGroupId), (models) => {
        const model = models.get(id);
        if (!model || model.kind !== kind) {
          throw new GatewayError("unknownModel", id.slice(0, 200));
        }
        return atMoment(model, clock());
      }),
    forget: cache.forget,
  };
}
