/**
 * Catalog: what exists and what it costs. Hides where models and prices are kept and how long they are cached.
 * Prices are nano-units per million tokens. Promises that nothing is sold of which nobody has said what it costs.
 */
export { type Catalog, createCatalog, type SoldModel } from "./catalog";
export {
  type EnteredCosts,
  enteredCosts,
  isCostName,
  listCostPrices,
  saveCostPrices,
  soldBelowCost,
  toCostPrices,
  videoCostName,
} from "./cost-prices";
export {
  findModel,
  findUnpriced,
  getModel,
  isUnpriced,
  listCatalog,
  lockModel,
} from "./entries";
export { type ListedPrices, listPricesOf, listVendors, priceListOf } from "./list-prices";
export { markUpAll, parseFactor } from "./marked-up";
export { listModels, type Model, type Prices, toModel } from "./models";
export { createModel, saveModel } from "./save";
export type { ModelChange } from "./schema";
