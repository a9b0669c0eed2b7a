import { type Nanos, nanos, parseMoney } from "@/server/base/money";
import lists from "./list-prices.json" with { type: "json" };

/** What a vendor's public list says that a model costs, in nano-units per million tokens. */
type ListedPrices = {
  inputPrice: Nanos;
  outputPrice: Nanos;
  cacheReadPrice: Nanos | null;
  cacheWritePrice: Nanos | null;
  cacheWrite1hPrice: Nanos | null;
};

type Row = { input: string; output?: string; cacheRead?: string; cacheWrite?: string; cacheWrite1h?: string };
/** `host`: where alone it holds, of a vendor with other prices in other regions. */
type List = { host?: string; currency: string; models: Record<string, Row> };

const listOf: Record<keyof typeof lists, List> = lists;

/** A dated snapshot costs what its model does, unless the list has a price of its own for it. */
const withoutDate = (id: string) => id.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, "");

const hostOf = (url: string) => new URL(url).hostname;

const orInherited = (price: string | undefined) => (price === undefined ? null : parseMoney(price));

type Shop = { vendor: keyof typeof lists; baseUrl: string; currency: string };

/**
 * The list price of a vendor's model; null where the list has none, has it in another currency, or is another
 * address's. The data is in list-prices.json with its date and source. What has no one price per token there (it
 * depends on the prompt's length or on the way of thinking) is left out: charged at the lower price it would be sold
 * below cost.
 */
export function listPricesOf({ vendor, baseUrl, currency }: Shop, id: string): ListedPrices | null {
  const list = listOf[vendor];
  if (list.currency !== currency || (list.host ?? hostOf(baseUrl)) !== hostOf(baseUrl)) {
    return null;
  }
  const rows = new Map(Object.entries(list.models));
  const row = rows.get(id) ?? rows.get(withoutDate(id));
  return row
    ? {
        inputPrice: parseMoney(row.input) ?? nanos(0n),
        outputPrice: parseMoney(row.output ?? "0") ?? nanos(0n),
        cacheReadPrice: orInherited(row.cacheRead),
        cacheWritePrice: orInherited(row.cacheWrite),
        cacheWrite1hPrice: orInherited(row.cacheWrite1h),
      }
    : null;
}
