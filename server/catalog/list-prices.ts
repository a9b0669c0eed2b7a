import { nanos, parseMoney } from "@/server/base/money";
import { type PriceName, type PriceSheet, toSheet } from "@/server/pricing";
import lists from "./list-prices.json" with { type: "json" };

/** `host`: the only host that the list holds for, if the vendor has other prices in other regions. */
type List = {
  source: string;
  date: string;
  host?: string;
  currency: string;
  /** Decimals by the names of prices. */
  models: Record<string, Record<string, string>>;
};

const listOf: Record<keyof typeof lists, List> = lists;

/**
 * Removes the date from a name: a dated snapshot costs what its model does, unless the list has a price for the
 * snapshot.
 */
export const withoutDate = (id: string) => id.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, "");

const hostOf = (url: string) => new URL(url).hostname;

const toListed = (row: Record<string, string>): PriceSheet =>
  toSheet(
    Object.entries({ output: "0", ...row }).map(([name, price]) => [
      name as PriceName,
      parseMoney(price) ?? nanos(0n),
    ]),
  );

type ListVendor = keyof typeof lists;

function rowOf(vendor: ListVendor, name: string): Record<string, string> | null {
  const { models } = listOf[vendor];
  const found = [name, withoutDate(name)].find((each) => Object.hasOwn(models, each));
  return found === undefined ? null : (models[found] ?? null);
}

/** Vendors whose public list is included. */
export const listVendors = Object.keys(lists) as [ListVendor, ...ListVendor[]];

/** A vendor's public list, with its source and date. Its prices are of tokens. */
export type PriceList = {
  source: string;
  date: string;
  currency: string;
  /** Finds a model by the vendor's name for it. null: not on the list. */
  find: (name: string) => PriceSheet | null;
};

export function priceListOf(vendor: ListVendor): PriceList {
  const { source, date, currency } = listOf[vendor];
  const find = (name: string): PriceSheet | null => {
    const row = rowOf(vendor, name);
    return row ? toListed(row) : null;
  };
  return { source, date, currency, find };
}

/** The list of a preset's vendor, wherever its address leads: regions with other prices are other presets. null: none. */
export function findPriceList(vendor: string | null): PriceList | null {
  const listed = listVendors.find((each) => each === vendor);
  return listed ? priceListOf(listed) : null;
}

type Shop = { vendor: ListVendor; baseUrl: string; currency: string };

/**
 * The list price of a vendor's model; null if the list does not have it, is in another currency, or holds for another
 * host. The data is in list-prices.json with its date and source. A model whose price
 * depends on the mode of thinking is left out: at the lower price it would be sold below cost.
 */
export function listPricesOf({ vendor, baseUrl, currency }: Shop, id: string): PriceSheet | null {
  const { host = hostOf(baseUrl) } = listOf[vendor];
  const list = priceListOf(vendor);
  return list.currency === currency && host === hostOf(baseUrl) ? list.find(id) : null;
}
