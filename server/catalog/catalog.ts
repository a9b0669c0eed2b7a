import { createCache } from "@/server/base/cache";
import { GatewayError } from "@/server/base/errors";
import type { ModelKind } from "@/server/base/facts";
import type { ChannelId } from "@/server/base/ids";
import type { Db } from "@/server/db";
import { type CostPrices, listCostPrices, toCostPrices } from "./cost-prices";
import { listModels, type Model } from "./models";

/** A model with what it costs at the channels of which somebody has said that. */
export type SoldModel = Model & { costs: ReadonlyMap<ChannelId, CostPrices> };

export type Catalog = {
  /** The models on sale, by identifier: enabled, and with a price or free by an operator's word. */
  list: () => Promise<SoldModel[]>;
  /** Throws the 404 of spec section 7. */
  get: (id: string, kind: ModelKind) => Promise<SoldModel>;
  forget: () => void;
};

async function listSold(db: Db): Promise<SoldModel[]> {
  const models = (await listModels(db)).filter((model) => model.isEnabled && model.isPriced);
  const costs = new Map(models.map(({ id }) => [id, new Map<ChannelId, CostPrices>()]));
  for (const { channelId, modelId, prices } of await listCostPrices(db)) {
    costs.get(modelId)?.set(channelId, toCostPrices(prices));
  }
  return models.map((model) => ({ ...model, costs: costs.get(model.id) ?? new Map() }));
}

/** `heardAt`: of changes, as caches know it. */
export function createCatalog(deps: { db: Db; heardAt?: (() => number) | undefined }): Catalog {
  // One entry: the whole list is small and every request needs a part of it.
  const cache = createCache(
    async () => new Map((await listSold(deps.db)).map((model) => [model.id, model])),
    { maxAgeMs: 30_000, maxEntries: 1, heardAt: deps.heardAt },
  );
  return {
    list: async () => [...(await cache.get("models")).values()],
    get: async (id, kind) => {
      const model = (await cache.get("models")).get(id);
      if (!model || model.kind !== kind) {
        throw new GatewayError("unknownModel", id.slice(0, 200));
      }
      return model;
    },
    forget: cache.forget,
  };
}
