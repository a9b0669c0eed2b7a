import { createCache } from "@/server/base/cache";
import { GatewayError } from "@/server/base/errors";
import type { ModelKind } from "@/server/base/facts";
import type { Db } from "@/server/db";
import { listModels, type Model } from "./models";

export type Catalog = {
  /** The models on sale, by identifier: enabled, and with a price or free by an operator's word. */
  list: () => Promise<Model[]>;
  /** Throws the 404 of spec section 7. */
  get: (id: string, kind: ModelKind) => Promise<Model>;
  forget: () => void;
};

/** `heardAt`: of changes, as caches know it. */
export function createCatalog(deps: { db: Db; heardAt?: (() => number) | undefined }): Catalog {
  // One entry: the whole list is small and every request needs a part of it.
  const cache = createCache(
    async () =>
      new Map(
        (await listModels(deps.db))
          .filter((model) => model.isEnabled && model.isPriced)
          .map((model) => [model.id, model]),
      ),
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
