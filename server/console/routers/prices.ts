import { costOperations, modelOperations, priceListOperations, priceOperations } from "@/server/operations";
import { costQueries, modelQueries, priceListQueries, priceQueries } from "@/server/queries";
import { operatorOperation } from "../operations";
import { operatorQuery } from "../queries";
import { router } from "../trpc";

export const pricesRouter = router({
  list: operatorQuery(modelQueries.list),
  get: operatorQuery(modelQueries.get),
  create: operatorOperation(modelOperations.create),
  update: operatorOperation(modelOperations.update),
  history: operatorQuery(priceQueries.history),
  scheduled: operatorQuery(priceQueries.scheduled),
  set: operatorOperation(priceOperations.set),
  withdraw: operatorOperation(priceOperations.withdraw),
  lists: operatorQuery(priceListQueries.list),
  previewList: operatorQuery(priceListQueries.preview),
  importList: operatorOperation(priceListOperations.importList),
  costs: operatorQuery(costQueries.list),
  setCosts: operatorOperation(costOperations.set),
  importCosts: operatorOperation(costOperations.importList),
  margin: operatorQuery(costQueries.margin),
});
