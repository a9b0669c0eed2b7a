/** A model's prices, one by one, beside what they are measured by. Pure. */
import type { ModelKind } from "@/server/base/facts";
import { type Nanos, nanos } from "@/server/base/money";
import { costOf, enteredCosts, toCostPrices } from "./cost-prices";
import type { ListedPrices } from "./list-prices";
import { inOrder, type PriceSheet } from "./price-sheet";

/** What somebody has said that a model costs at a channel. */
export type PaidPrices = { channel: string; prices: PriceSheet };

/**
 * `price`: null is none of its own. `list`: null is none on the list. `cost`: at the channel that is paid most; null is
 * what nobody has said.
 */
type PriceRow = {
  name: string;
  price: Nanos | null;
  list: Nanos | null;
  cost: { price: Nanos; channel: string } | null;
};

/** By what a model of a kind is sold, whether it has a price for it or not. */
const expected: Partial<Record<ModelKind, readonly string[]>> = {
  chat: ["input", "output"],
  embedding: ["input"],
  rerank: ["rerank"],
};

/** A channel of which nothing is known but what images cost has no cost for tokens. */
function highest(paid: readonly PaidPrices[], name: string): PriceRow["cost"] {
  const found = paid.flatMap(({ channel, prices }) => {
    const price = prices[name] ?? costOf(toCostPrices(prices), name);
    return price === null || (price === 0n && prices[name] === undefined) ? [] : [{ price, channel }];
  });
  return found.reduce<PriceRow["cost"]>(
    (most, each) => (most === null || each.price > most.price ? each : most),
    null,
  );
}

/** Those that a model has or wants, and those for which the list or a channel has one. */
export function priceRows(
  { kind, prices }: { kind: ModelKind; prices: PriceSheet },
  { listed, paid }: { listed: ListedPrices | null; paid: readonly PaidPrices[] },
): PriceRow[] {
  // A list has 0 for what its model does not have.
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
