/** The form of a model's costs at a channel: typed texts, and figures to fill them from. Pure. */
import { formatMoney, parseMoney } from "@/server/base/money";
import { markUp, parseFactor, stepOf } from "@/server/domain/factor";
import type { GridRow } from "../prices/catalog";

/** Texts by name of price. */
export type TypedCosts = Readonly<Record<string, string>>;

type Prices = readonly { name: string; price: string }[];

/** The source that is the vendor's list. */
export const LIST = "list";

/** `byChannel`: costs of the model at other channels. */
export type CostSources = {
  list: { currency: string; rows: readonly GridRow[] } | null;
  byChannel: ReadonlyMap<string, Prices>;
  names: ReadonlyMap<string, string>;
};

export const typedOf = (prices: Prices): TypedCosts =>
  Object.fromEntries(prices.map(({ name, price }) => [name, price]));

/** The names of the model's prices, and those of costs that it has no price for. */
export const namesOf = (rows: readonly GridRow[], costs: TypedCosts): string[] => [
  ...new Set([...rows.map(({ name }) => name), ...Object.keys(costs)]),
];

const pricesAt = ({ list, byChannel }: CostSources, from: string): Prices =>
  from === LIST
    ? (list?.rows ?? []).flatMap(({ name, list: listed }) => (listed ? [{ name, price: listed.price }] : []))
    : (byChannel.get(from) ?? []);

/** A source's figures times both factors, rounded up. null: a factor is wrong, or the source has no figures. */
export function filled(
  sources: CostSources,
  { from, ...factors }: { from: string; factor: string; rate: string },
): TypedCosts | null {
  const [factor, rate] = [parseFactor(factors.factor), parseFactor(factors.rate)];
  const prices = pricesAt(sources, from);
  if (factor === null || rate === null || prices.length === 0) {
    return null;
  }
  return Object.fromEntries(
    prices.flatMap(({ name, price }) => {
      const amount = parseMoney(price);
      return amount === null ? [] : [[name, formatMoney(markUp(amount, [factor, rate], stepOf()))]];
    }),
  );
}

/** The request's prices: an empty text is no cost. */
export const costsOf = (costs: TypedCosts): { name: string; price: string }[] =>
  Object.entries(costs).flatMap(([name, text]) => {
    const price = parseMoney(text);
    return price === null ? [] : [{ name, price: formatMoney(price) }];
  });
