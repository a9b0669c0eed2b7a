import { modelOperations, priceListOperations } from "@/server/operations";
import { modelQueries, priceListQueries } from "@/server/queries";
import { operatorOperation } from "../operations";
import { operatorQuery } from "../queries";
import { router } from "../trpc";

export const pricesRouter = router({
  list: operatorQuery(modelQueries.list),
  get: operatorQuery(modelQueries.get),
  create: operatorOperation(modelOperations.create),
  update: operatorOperation(modelOperations.update),
  lists: operatorQuery(priceListQueries.list),
  previewList: operatorQuery(priceListQueries.preview),
  importList: operatorOperation(priceListOperations.importList),
});
