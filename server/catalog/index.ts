/**
 * Catalog: what exists and what it costs. Hides where models and prices are kept and how long they are cached.
 * Prices are nano-units per million tokens.
 */
export { type Catalog, createCatalog } from "./catalog";
export {
  findModel,
  findUnpriced,
  getModel,
  listCatalog,
  lockModel,
  type ModelKind,
} from "./entries";
export { listModels, type Model, type Prices } from "./models";
export { createModel, saveModel } from "./save";
export type { ModelChange } from "./schema";
