import { type Factor, markUp } from "@/server/base/factor";
import type { ListedPrices } from "./list-prices";

/** Marks up each price of a list. null: inherited. */
export const markUpAll = (listed: ListedPrices, factors: readonly Factor[], step: bigint): ListedPrices =>
  Object.fromEntries(
    Object.entries(listed).map(([name, price]) => [
      name,
      price === null ? null : markUp(price, factors, step),
    ]),
  ) as ListedPrices;
