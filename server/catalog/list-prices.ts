import { type Nanos, nanos, parseMoney } from "@/server/base/money";
import lists from "./list-prices.json" with { type: "json" };

/** A model's prices on its vendor's public list, in nano-units per million tokens. */
export type ListedPrices = {
  inputPrice: Nanos;
  outputPrice: Nanos;
  cacheReadPrice: Nanos | null;
  cacheWritePrice: Nanos | null;
  cacheWrite1hPrice: Nanos | null;
};

type ListPriceRow = {
  input: string;
  output?: string;
  cacheRead?: string;
  cacheWrite?: string;
  cacheWrite1h?: string;
};
/** `host`: the only host that the list holds for, if the vendor has other prices in other regions. */
type List = {
  source: string;
  date: string;
  host?: string;
  currency: string;
  models: Record<string, ListPriceRow>;
};

const listOf: Record<keyof typeof lists, List> = lists;

/**
 * Removes the date from a name: a dated snapshot costs what its model does, unless the list has a price for the
 * snapshot.
 */
export const withoutDate = (id: string) => id.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, "");

const hostOf = (url: string) => new URL(url).hostname;

const orInherited = (price: string | undefined) => (price === undefined ? null : parseMoney(price));

type ListVendor = keyof typeof lists;

/** Vendors whose public list is included. */
export const listVendors = Object.keys(lists) as [ListVendor, ...ListVendor[]];

/** A vendor's public list, with its source and date. */
export type PriceList = {
  source: string;
  date: string;
  currency: string;
  /** Finds a model by the vendor's name for it. null: not on the list. */
  find: (name: string) => ListedPrices | null;
};

export function priceListOf(vendor: ListVendor): PriceList {
  const { models, source, date, currency } = listOf[vendor];
  const rows = new Map(Object.entries(models));
  const find = (name: string): ListedPrices | null => {
    const row = rows.get(name) ?? rows.get(withoutDate(name));
    return row
      ? {
          inputPrice: parseMoney(row.input) ?? nanos(0n),
          outputPrice: parseMoney(row.output ?? "0") ?? nanos(0n),
          cacheReadPrice: orInherited(row.cacheRead),
          cacheWritePrice: orInherited(row.cacheWrite),
          cacheWrite1hPrice: orInherited(row.cacheWrite1h),
        }
      : null;
  };
  return { source, date, currency, find };
}

type Shop = { vendor: ListVendor; baseUrl: string; currency: string };

/**
 * The list price of a vendor's model; null if the list does not have it, is in another currency, or holds for another
 * host. The data is in list-prices.json with its date and source. A model without one price per token (it depends on
 * the prompt's length or on the mode of thinking) is left out: at the lower price it would be sold below cost.
 */
export function listPricesOf({ vendor, baseUrl, currency }: Shop, id: string): ListedPrices | null {
  const { host = hostOf(baseUrl) } = listOf[vendor];
  const list = priceListOf(vendor);
  return list.currency === currency && host === hostOf(baseUrl) ? list.find(id) : null;
}
