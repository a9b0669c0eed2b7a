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
  /** It has a price, or an operator marked it as free. */
  isPriced: boolean;
  prices: Prices;
};

type Entered = Pick<Prices, "input" | "output"> & { [Name in keyof Prices]: Prices[Name] | null | undefined };

/**
 * Fills in inherited prices, so that every class has one: cache reads and writes cost the input price, 1-hour writes
 * the write price.
 */
export function inherited({ input, output, cacheRead, cacheWrite, cacheWrite1h }: Entered): Prices {
  const written = cacheWrite ?? input;
  return {
    input,
    output,
    cacheRead: cacheRead ?? input,
    cacheWrite: written,
    cacheWrite1h: cacheWrite1h ?? written,
  };
}

export function toModel(entry: CatalogEntry): Model {
  const { inputPrice, outputPrice, cacheReadPrice, cacheWritePrice, cacheWrite1hPrice, ...model } = entry;
  return {
    ...model,
    isPriced: !isUnpriced(entry),
    prices: inherited({
      input: inputPrice,
      output: outputPrice,
      cacheRead: cacheReadPrice,
      cacheWrite: cacheWritePrice,
      cacheWrite1h: cacheWrite1hPrice,
    }),
  };
}

/** Every model, disabled ones included. */
export async function listModels(db: Db): Promise<Model[]> {
  return (await listCatalog(db)).map(toModel);
}
