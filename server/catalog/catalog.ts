import { createCache, type LastKnown } from "@/server/base/cache";
import { type Clock, systemClock } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere } from "@/server/base/eventual";
import type { Db } from "@/server/db";
import type { ModelKind } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { atTime, type DailyWindow, isWithin, type PriceSheet, windowsOf } from "@/server/pricing";
import { isUnpriced, type Model } from "./entries";
import { pricedAt } from "./model-prices";
import { atGroupPrices, type PriceGroup } from "./price-groups";
import { noStock, readStock, type Stock } from "./stock";
import { eachInTurns } from "./versions";

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
  /** As of `createCache`. */
  doubt: () => void;
};

/** A model as it is sold between two moments at which one of its prices begins. null: it has no price. */
type Offer = { model: SoldModel | null; from: Date; until: Date | null };

/** The catalog as read from the database, with the models as they are sold, which are computed at their first use. */
type Shelf = Stock & { offers: Map<string | null, Map<string, Offer>> };

const noCosts: SoldModel["costs"] = new Map();

function offerOf(stock: Stock, written: Model, { at, group }: { at: Date; group: PriceGroup | null }): Offer {
  const toCome = stock.toCome.get(written.id) ?? [];
  const [entry = written] = pricedAt([written], toCome, at);
  const ends = { from: at, until: toCome.find(({ beginsAt }) => beginsAt > at)?.beginsAt ?? null };
  if (isUnpriced(entry)) {
    return { model: null, ...ends };
  }
  const model = { ...entry, costs: stock.costs.get(entry.id) ?? noCosts };
  return { model: group ? atGroupPrices(model, group) : model, ...ends };
}

/** A model at the prices of its daily windows, for a call that begins now. */
function atMoment(model: SoldModel, at: Date): SoldModel {
  const isSteady = (sheet: PriceSheet) => windowsOf(sheet).length === 0;
  if (isSteady(model.prices) && [...model.costs.values()].every(isSteady)) {
    return model;
  }
  return {
    ...model,
    prices: atTime(model.prices, at),
    costs: new Map([...model.costs].map(([id, sheet]) => [id, atTime(sheet, at)])),
    window: windowsOf(model.prices).find((window) => isWithin(window, at)),
  };
}

/** Finds models at a group's prices. */
type Seller = {
  ids: () => string[];
  find: (id: string) => SoldModel | null;
};

/** The models on sale at a group's prices. null: unknown group. */
function sellerOf(shelf: Shelf, at: Date, priceGroupId: string | null): Seller | null {
  const group = priceGroupId === null ? null : shelf.groups.get(priceGroupId);
  if (group === undefined) {
    return null;
  }
  const offers = shelf.offers.get(priceGroupId) ?? new Map<string, Offer>();
  shelf.offers.set(priceGroupId, offers);
  return {
    ids: () => [...shelf.written.keys()],
    find: (id) => {
      const kept = offers.get(id);
      if (kept && kept.from <= at && (kept.until === null || at < kept.until)) {
        return kept.model;
      }
      const written = shelf.written.get(id);
      const offer = written && offerOf(shelf, written, { at, group });
      if (offer) {
        offers.set(id, offer);
      }
      return offer?.model ?? null;
    },
  };
}

/** `heardAt`, `lastKnown`: as for `createCache`. */
export function createCatalog(deps: {
  db: Db;
  clock?: Clock;
  heardAt?: (() => number) | undefined;
  lastKnown?: LastKnown | null | undefined;
  /** Reads the catalog in place of the database. */
  keptStock?: (() => Promise<Stock>) | undefined;
}): Catalog {
  const { db, clock = systemClock } = deps;
  // One cache entry: the whole list is small and every request needs a part of it.
  let stock = noStock;
  async function readAgain(): Promise<Shelf> {
    stock = await (deps.keptStock?.() ?? readStock(db, stock));
    return { ...stock, offers: new Map() };
  }
  const cache = createCache(readAgain, {
    maxAgeMs: 30_000,
    maxEntries: 1,
    heardAt: deps.heardAt,
    lastKnown: deps.lastKnown,
  });
  // Reads the clock each time, so that a new price begins in every process at the same moment.
  const read = (group: string | null) =>
    whenHere(cache.get("models"), (shelf) => sellerOf(shelf, clock(), group));
  // This process may learn of an account's new group before it has read the group. It reads again, and refuses rather
  // than charge other prices.
  async function findAgain(priceGroupId: string | null): Promise<Seller> {
    cache.doubt();
    const seller = await read(priceGroupId);
    if (!seller) {
      throw new GatewayError("unavailable", "", { cause: new Error(`no price group ${priceGroupId}`) });
    }
    return seller;
  }
  const onSale = (priceGroupId: string | null): Eventual<Seller> =>
    whenHere(read(priceGroupId), (cached) => cached ?? findAgain(priceGroupId));
  return {
    list: async (priceGroupId = null) => {
      const { ids, find } = await onSale(priceGroupId);
      const models = await eachInTurns(ids(), find);
      return models.filter((model) => model !== null);
    },
    get: (id, kind, priceGroupId) =>
      whenHere(onSale(priceGroupId), ({ find }) => {
        const model = find(id);
        if (!model || model.kind !== kind) {
          throw new GatewayError("unknownModel", id.slice(0, 200));
        }
        return atMoment(model, clock());
      }),
    forget: cache.forget,
    doubt: cache.doubt,
  };
}
