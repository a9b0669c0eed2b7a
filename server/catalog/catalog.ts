import { createCache } from "@/server/base/cache";
import { type Clock, systemClock } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import type { ModelKind } from "@/server/base/facts";
import type { ChannelId } from "@/server/base/ids";
import type { Db } from "@/server/db";
import { type CostPrices, listCostPrices, toCostPrices } from "./cost-prices";
import { type CatalogEntry, listWritten } from "./entries";
import { type DatedPrice, listToCome, pricedAt } from "./model-prices";
import { type Model, toModel } from "./models";
import { atGroupPrices, listPriceGroups, type PriceGroup } from "./price-groups";

/** A model with what it costs at the channels of which somebody has said that. */
export type SoldModel = Model & { costs: ReadonlyMap<ChannelId, CostPrices> };

export type Catalog = {
  /**
   * The models on sale, by identifier: enabled, and with a price or free by an operator's word. At the prices of this
   * moment, those of a group where one is named.
   */
  list: (priceGroupId?: string | null) => Promise<SoldModel[]>;
  /** Likewise. Throws the 404 of spec section 7. */
  get: (id: string, kind: ModelKind, priceGroupId: string | null) => Promise<SoldModel>;
  forget: () => void;
};

type Sold = ReadonlyMap<string, SoldModel>;

/** What is on sale between two moments at which a price begins. `byGroup`: at their prices, made when first asked for. */
type Offer = { from: Date; until: Date | null; models: Sold; byGroup: Map<string, Sold> };

/** The catalog as it was read; what is on sale at a moment is made of it once. */
type Stock = {
  written: CatalogEntry[];
  toCome: DatedPrice[];
  costs: ReadonlyMap<string, ReadonlyMap<ChannelId, CostPrices>>;
  groups: ReadonlyMap<string, PriceGroup>;
  offer: Offer | null;
};

/** `former`: groups that were known before. One of them that is gone is kept, for calls that began when it was there. */
async function readStock(db: Db, former: Stock["groups"]): Promise<Stock> {
  // What is to come first: what begins between the two reads, and is written by then, is then in one of them.
  const toCome = await listToCome(db);
  const written = (await listWritten(db)).filter((entry) => entry.isEnabled);
  const costs = new Map(written.map(({ id }) => [id, new Map<ChannelId, CostPrices>()]));
  for (const { channelId, modelId, prices } of await listCostPrices(db)) {
    costs.get(modelId)?.set(channelId, toCostPrices(prices));
  }
  const groups = new Map([
    ...former,
    ...(await listPriceGroups(db)).map((group) => [group.id, group] as const),
  ]);
  return { written, toCome, costs, groups, offer: null };
}

function offerAt(stock: Stock, at: Date): Offer {
  const known = stock.offer;
  if (known && known.from <= at && (known.until === null || at < known.until)) {
    return known;
  }
  const next = stock.toCome.find(({ beginsAt }) => beginsAt > at);
  const models = pricedAt(stock.written, stock.toCome, at)
    .map(toModel)
    .filter(({ isPriced }) => isPriced)
    .map((model): SoldModel => ({ ...model, costs: stock.costs.get(model.id) ?? new Map() }));
  stock.offer = {
    from: at,
    until: next?.beginsAt ?? null,
    models: new Map(models.map((one) => [one.id, one])),
    byGroup: new Map(),
  };
  return stock.offer;
}

/** What is on sale at a group's prices. null: the group is not known. */
function soldTo(stock: Stock, at: Date, priceGroupId: string | null): Sold | null {
  const { models, byGroup } = offerAt(stock, at);
  if (priceGroupId === null) {
    return models;
  }
  const group = stock.groups.get(priceGroupId);
  if (!group) {
    return null;
  }
  const known = byGroup.get(priceGroupId);
  const sold = known ?? new Map([...models].map(([id, model]) => [id, atGroupPrices(model, group)]));
  byGroup.set(priceGroupId, sold);
  return sold;
}

/** `heardAt`: of changes, as caches know it. */
export function createCatalog(deps: {
  db: Db;
  clock?: Clock;
  heardAt?: (() => number) | undefined;
}): Catalog {
  const { db, clock = systemClock } = deps;
  // One entry: the whole list is small and every request needs a part of it.
  let groups: Stock["groups"] = new Map();
  async function readAnew() {
    const stock = await readStock(db, groups);
    groups = stock.groups;
    return stock;
  }
  const cache = createCache(readAnew, { maxAgeMs: 30_000, maxEntries: 1, heardAt: deps.heardAt });
  // Each read looks at the clock, so that a new price begins in every process at the same moment.
  const read = async (group: string | null) => soldTo(await cache.get("models"), clock(), group);
  async function onSale(priceGroupId: string | null): Promise<Sold> {
    const known = await read(priceGroupId);
    if (known) {
      return known;
    }
    // An account may be heard of before the group that it has just been put into. Nobody pays another's price meanwhile.
    cache.forget();
    const sold = await read(priceGroupId);
    if (!sold) {
      throw new GatewayError("unavailable", "", { cause: new Error(`no price group ${priceGroupId}`) });
    }
    return sold;
  }
  return {
    list: async (priceGroupId = null) => [...(await onSale(priceGroupId)).values()],
    get: async (id, kind, priceGroupId) => {
      const model = (await onSale(priceGroupId)).get(id);
      if (!model || model.kind !== kind) {
        throw new GatewayError("unknownModel", id.slice(0, 200));
      }
      return model;
    },
    forget: cache.forget,
  };
}
