/** A model's prices, one by one, with the list price and the cost of each. Pure. */
import type { ModelKind } from "@/server/base/enums";
import { type Nanos, nanos } from "@/server/base/money";
import { costOf, enteredCosts, toCostPrices } from "./cost-prices";
import type { ListedPrices } from "./list-prices";
import { inOrder, type PriceSheet } from "./price-sheet";

/** The costs entered for a model at a channel. */
export type PaidPrices = { channel: string; prices: PriceSheet };

/**
 * `price`: null if the model has none. `list`: null if not on the list. `cost`: at the most expensive channel; null if
 * unknown.
 */
type PriceRow = {
  name: string;
  price: Nanos | null;
  list: Nanos | null;
  cost: { price: Nanos; channel: string } | null;
};

/** The names that a model of a kind is sold by, whether it has a price for them or not. */
const expected: Partial<Record<ModelKind, readonly string[]>> = {
  chat: ["input", "output"],
  embedding: ["input"],
  rerank: ["rerank"],
};

/**
 * Returns the highest cost. A 0 that was not entered does not count: a channel with costs for images alone has no cost
 * for tokens.
 */
function highest(paid: readonly PaidPrices[], name: string): PriceRow["cost"] {
  const costs = paid.flatMap(({ channel, prices }) => {
    const price = prices[name] ?? costOf(toCostPrices(prices), name);
    return price === null || (price === 0n && prices[name] === undefined) ? [] : [{ price, channel }];
  });
  return costs.reduce<PriceRow["cost"]>(
    (max, each) => (max === null || each.price > max.price ? each : max),
    null,
  );
}

/** Rows for the prices that the model has or needs, and for those on the list or at a channel. */
export function priceRows(
  { kind, prices }: { kind: ModelKind; prices: PriceSheet },
  { listed, paid }: { listed: ListedPrices | null; paid: readonly PaidPrices[] },
): PriceRow[] {
  // A list has 0 for classes that its model does not have.
  const list = Object.fromEntries(
    Object.entries(listed ? enteredCosts(listed) : {}).filter(([, price]) => price > 0n),
  );
  const names = [
    ...(expected[kind] ?? []),
    ...Object.keys(prices),
    ...Object.keys(list),
    ...paid.flatMap((each) => Object.keys(each.prices)),
  ].filter((name) => name.startsWith("video:") === (kind === "video"));
  return Object.keys(inOrder(names.map((name) => [name, nanos(0n)]))).map((name) => ({
    name,
    price: prices[name] ?? null,
    list: list[name] ?? null,
    cost: highest(paid, name),
  }));
}
