import type { JsonObject } from "./fields";

/** `cost`, `cost_details`, `market_cost`, `cost_in_usd_ticks`, and whether a key of one's own was used (OpenRouter). */
const tellsPrice = (name: string): boolean => /(?:^|_)cost(?:_|$)|^is_byok$/.test(name);

/**
 * A vendor's usage object without what the operator paid for the call: that is not the client's price, and it is
 * nobody's business. The same object where it says nothing of it.
 */
export function withoutVendorPrice(usage: JsonObject): JsonObject {
  return Object.keys(usage).some(tellsPrice)
    ? Object.fromEntries(Object.entries(usage).filter(([name]) => !tellsPrice(name)))
    : usage;
}
