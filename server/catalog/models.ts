import type { Queryable } from "@/server/db";
import { type CatalogEntry, listCatalog, type ModelKind, type VideoPrice } from "./entries";

/** Nano-units per million tokens of each class. */
export type Prices = {
  input: bigint;
  cacheRead: bigint;
  cacheWrite: bigint;
  cacheWrite1h: bigint;
  output: bigint;
};

/** A model as calls are charged for it: every class has a price. */
export type Model = {
  id: string;
  kind: ModelKind;
  ownedBy: string;
  isEnabled: boolean;
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
export async function listModels(db: Queryable): Promise<Model[]> {
  return (await listCatalog(db)).map(toModel);
}
