import { formatMoney } from "@/server/base/money";
import type { Model } from "@/server/catalog";
import type { Runtime } from "@/server/process/runtime";

/**
 * What a buyer sees of a model. Prices are decimals in currency units per million tokens, and of a video per piece.
 */
const modelView = ({ id, kind, ownedBy, isFree, maxOutputTokens, prices, videoPrices }: Model) => ({
  id,
  kind,
  ownedBy,
  isFree,
  maxOutputTokens,
  prices: {
    input: formatMoney(prices.input),
    cacheRead: formatMoney(prices.cacheRead),
    cacheWrite: formatMoney(prices.cacheWrite),
    cacheWrite1h: formatMoney(prices.cacheWrite1h),
    output: formatMoney(prices.output),
  },
  videoPrices: videoPrices.map(({ durationSeconds, resolution, price }) => ({
    durationSeconds,
    resolution,
    price: formatMoney(price),
  })),
});

export const showModels = async ({ catalog }: Runtime) => (await catalog.list()).map(modelView);
