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

/** A model with what it costs at the channels of which somebody has said that. */
export type SoldModel = Model & { costs: ReadonlyMap<ChannelId, CostPrices> };

export type Catalog = {
  /** The models on sale, by identifier: enabled, and with a price or free by an operator's word. */
  list: () => Promise<SoldModel[]>;
  /** With its prices of this moment. Throws the 404 of spec section 7. */
  get: (id: string, kind: ModelKind) => Promise<SoldModel>;
  forget: () => void;
};

/** What is on sale between two moments at which a price begins. */
type Offer = { from: Date; until: Date | null; models: ReadonlyMap<string, SoldModel> };

/** The catalog as it was read; what is on sale at a moment is made of it once. */
type Stock = {
  written: CatalogEntry[];
  toCome: DatedPrice[];
  costs: ReadonlyMap<string, ReadonlyMap<ChannelId, CostPrices>>;
  offer: Offer | null;
};

async function readStock(db: Db): Promise<Stock> {
  // What is to come first: what begins between the two reads, and is written by then, is then in one of them.
  const toCome = await listToCome(db);
  const written = (await listWritten(db)).filter((entry) => entry.isEnabled);
  const costs = new Map(written.map(({ id }) => [id, new Map<ChannelId, CostPrices>()]));
  for (const { channelId, modelId, prices } of await listCostPrices(db)) {
    costs.get(modelId)?.set(channelId, toCostPrices(prices));
  }
  return { written, toCome, costs, offer: null };
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
  };
  return stock.offer;
}

/** `heardAt`: of changes, as caches know it. */
export function createCatalog(deps: {
  db: Db;
  clock?: Clock;
  heardAt?: (() => number) | undefined;
}): Catalog {
  const { db, clock = systemClock } = deps;
  // One entry: the whole list is small and every request needs a part of it.
  const cache = createCache(() => readStock(db), { maxAgeMs: 30_000, maxEntries: 1, heardAt: deps.heardAt });
  // By the clock at every read: a price begins in each process at its moment, whoever sleeps.
  const onSale = async () => offerAt(await cache.get("models"), clock()).models;
  return {
    list: async () => [...(await onSale()).values()],
    get: async (id, kind) => {
      const model = (await onSale()).get(id);
      if (!model || model.kind !== kind) {
        throw new GatewayError("unknownModel", id.slice(0, 200));
      }
      return model;
    },
    forget: cache.forget,
  };
}
