/**
 * Catalog: what exists and what it costs. Hides where models and prices are kept and how long they are cached. Prices
 * are nano-units per million tokens. Promises that no model is sold without a price, unless an operator marked it as
 * free.
 */
export { type Catalog, createCatalog, type SoldModel } from "./catalog";
export { listCostPrices, saveCostPrices, soldBelowCost } from "./cost-prices";
export {
  findModel,
  findUnpriced,
  getModel,
  isUnpriced,
  listCatalog,
  lockModel,
  type Model,
} from "./entries";
export {
  findPriceList,
  listPricesOf,
  listVendors,
  priceListOf,
  withoutDate,
} from "./list-prices";
export { ownerOfModel } from "./makers";
export { listedFactsOf, unknownFacts } from "./model-facts";
export {
  forgetPricer,
  keepToCome,
  listModelPrices,
  listToCome,
  recordInitialPrice as keepFirst,
  withdrawPrice,
} from "./model-prices";
export { type PriceCell, withCells } from "./price-cells";
export {
  cellsOfLine,
  type FileLine,
  type LineProblem,
  type PricedLine,
  priceFile,
  priceFileColumns,
  readPriceFile,
} from "./price-file";
export {
  atGroupPrices,
  createPriceGroup,
  type GroupTerms,
  getPriceGroup,
  listPriceGroups,
  lockGroupInUse,
  MOST_MODEL_FACTORS,
  type PriceGroup,
  removePriceGroup,
  updatePriceGroup,
} from "./price-groups";
export { type PaidPrices, priceRows } from "./price-rows";
export { createModel, type ModelWithPrices, saveModel } from "./save";
export type { ModelChange } from "./schema";
export { type KeptStock, readKeptStock, stockOf } from "./stock";
export { writeAllBegun } from "./write-prices";
