/**
 * Catalog: what exists and what it costs. Hides where models and prices are kept and how long they are cached.
 * Prices are nano-units per million tokens.
 */
export { type Catalog, createCatalog } from "./catalog";
export { listModels, type Model, type ModelChange, type ModelKind, type Prices, saveModel } from "./models";
