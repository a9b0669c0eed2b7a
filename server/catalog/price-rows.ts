/** A model's prices, one by one, with the list price and the cost of each. Pure. */

import type { Nanos } from "@/server/base/money";
import type { ModelKind } from "@/server/domain/enums";
import { byName, isOfVideo, type PriceName, type PriceSheet, priceUnder } from "@/server/pricing";

/** The costs entered for a model at a channel. */
export type PaidPrices = { channel: string; prices: PriceSheet };

/**
 * `price`: null if the model has none. `list`: null if not on the list. `cost`: at the most expensive channel; null if
 * unknown.
 */
type PriceRow = {
  name: PriceName;
  price: Nanos | null;
  list: Nanos | null;
  cost: { price: Nanos; channel: string } | null;
};

/** The names that a model of a kind is sold by, whether it has a price for them or not. */
const expected: Partial<Record<ModelKind, readonly PriceName[]>> = {
  chat: ["input", "output"],
  embedding: ["input"],
  rerank: ["rerank"],
};

/**
 * Returns the highest cost. A 0 that was not entered does not count: a channel with costs for images alone has no cost
 * for tokens.
 */
function highest(paid: readonly PaidPrices[], name: PriceName): PriceRow["cost"] {
  const costs = paid.flatMap(({ channel, prices }) => {
    const price = priceUnder(prices, name);
    return price === null || (price === 0n && !prices.has(name)) ? [] : [{ price, channel }];
  });
  return costs.reduce<PriceRow["cost"]>(
    (max, each) => (max === null || each.price > max.price ? each : max),
    null,
  );
}

/** Rows for the prices that the model has or needs, and for those on the list or at a channel. */
export function priceRows(
  { kind, prices }: { kind: ModelKind; prices: PriceSheet },
  { listed, paid }: { listed: PriceSheet | null; paid: readonly PaidPrices[] },
): PriceRow[] {
  // A list has 0 for classes that its model does not have.
  const list = new Map([...(listed ?? [])].filter(([, price]) => price > 0n));
  const names = [
    ...(expected[kind] ?? []),
    ...prices.keys(),
    ...list.keys(),
    ...paid.flatMap((each) => [...each.prices.keys()]),
  ].filter((name) => isOfVideo(name) === (kind === "video"));
  return [...new Set(names)].sort(byName).map((name) => ({
    name,
    price: prices.get(name) ?? null,
    list: list.get(name) ?? null,
    cost: highest(paid, name),
  }));
}
