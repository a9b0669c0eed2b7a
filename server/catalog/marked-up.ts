import { type Factor, markUp } from "@/server/base/factor";
import type { ListedPrices } from "./list-prices";

/** A list's prices, each marked up. null: inherited. */
export const markUpAll = (listed: ListedPrices, factors: readonly Factor[], step: bigint): ListedPrices =>
  Object.fromEntries(
    Object.entries(listed).map(([name, price]) => [
      name,
      price === null ? null : markUp(price, factors, step),
    ]),
  ) as ListedPrices;
