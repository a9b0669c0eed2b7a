/**
 * Pricing: the price sheet. Pure, and imports nothing but `base`, so that pages use the same rules as the gateway.
 * Hides the grammar of price names, which price a call meets, and how amounts are rounded. Promises that a price is the
 * sum of its lines, and never exceeds the ceiling of its counts but by the rounding of three classes.
 */
export {
  type Counted,
  conditionsOf,
  cost,
  explain,
  type Most,
  type PriceLimits,
  priceLimits,
  pricesOf,
  promptOf,
  type TokenCounts,
} from "./charge";
export {
  type Conditions,
  type DailyWindow,
  isWithin,
  parseConditions,
  printConditions,
  printWindow,
} from "./conditions";
export {
  byField,
  fieldsOf,
  type PriceFields,
  tokenPriceFields,
  type VideoPrice,
  withFields,
} from "./fields";
export { atTime, priceUnder, windowsOf } from "./in-force";
export {
  byName,
  type EachClass,
  eachCount,
  eachField,
  eachPrice,
  hasConditions,
  isOfTokens,
  isOfVideo,
  isPriceName,
  type PriceName,
  parsePriceName,
  parseVideoName,
  statedClasses,
  type TokenClass,
  type TokenField,
  type TokenPriceFields,
  type TokenPriceMembers,
  tokenClasses,
  videoPriceName,
} from "./names";
export {
  areSameSheets,
  decimalsOf,
  emptySheet,
  isNoPrice,
  nearest,
  type PriceSheet,
  parseSheet,
  priceOf,
  resolve,
  scale,
  storedSheet,
  tokenPrice,
  tokensOnly,
  toSheet,
  withoutConditions,
  withoutTokens,
} from "./sheet";
