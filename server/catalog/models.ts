import type { Nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { type CatalogEntry, isUnpriced, listCatalog } from "./entries";

/** Nano-units per million tokens of each class. */
export type Prices = {
  input: Nanos;
  cacheRead: Nanos;
  cacheWrite: Nanos;
  cacheWrite1h: Nanos;
  output: Nanos;
};

type OwnPrices = "inputPrice" | "outputPrice" | "cacheReadPrice" | "cacheWritePrice" | "cacheWrite1hPrice";

/** A model as calls are charged for it: every class has a price. */
export type Model = Omit<CatalogEntry, OwnPrices> & {
  /** It has a price, or is free by an operator's word. */
  isPriced: boolean;
  prices: Prices;
};

export function toModel(entry: CatalogEntry): Model {
  const { inputPrice, outputPrice, cacheReadPrice, cacheWritePrice, cacheWrite1hPrice, ...model } = entry;
  const cacheWrite = cacheWritePrice ?? inputPrice;
  return {
    ...model,
    isPriced: !isUnpriced(entry),
    prices: {
      input: inputPrice,
      cacheRead: cacheReadPrice ?? inputPrice,
      cacheWrite,
      cacheWrite1h: cacheWrite1hPrice ?? cacheWrite,
      output: outputPrice,
    },
  };
}

/** Every model, the disabled ones too. */
export async function listModels(db: Db): Promise<Model[]> {
  return (await listCatalog(db)).map(toModel);
}
