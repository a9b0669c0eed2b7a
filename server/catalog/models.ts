import type { ModelKind } from "@/server/base/facts";
import type { Nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { type CatalogEntry, isUnpriced, listCatalog, type VideoPrice } from "./entries";

/** Nano-units per million tokens of each class. */
export type Prices = {
  input: Nanos;
  cacheRead: Nanos;
  cacheWrite: Nanos;
  cacheWrite1h: Nanos;
  output: Nanos;
};

/** A model as calls are charged for it: every class has a price. */
export type Model = {
  id: string;
  kind: ModelKind;
  ownedBy: string;
  isEnabled: boolean;
  isFree: boolean;
  /** It has a price, or is free by an operator's word. */
  isPriced: boolean;
  maxOutputTokens: number;
  prices: Prices;
  videoPrices: VideoPrice[];
  createdAt: Date;
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
