import {
  costOperations,
  modelOperations,
  priceFileOperations,
  priceGroupOperations,
  priceListOperations,
  priceOperations,
} from "@/server/operations";
import {
  costQueries,
  modelQueries,
  priceEstimateQueries,
  priceFileQueries,
  priceGridQueries,
  priceGroupQueries,
  priceListQueries,
  priceQueries,
} from "@/server/queries";
import { showModelFacts } from "../model-form";
import { operatorOperation } from "../operations";
import { operatorPreview, operatorQuery } from "../queries";
import { operatorProcedure, router } from "../trpc";

export const pricesRouter = router({
  list: operatorQuery(modelQueries.list),
  get: operatorQuery(modelQueries.get),
  traffic: operatorQuery(modelQueries.traffic),
  grid: operatorQuery(priceGridQueries.list),
  modelFacts: operatorProcedure("staff.read")
    .input(modelOperations.create.input.pick({ id: true }))
    .query(({ ctx, input }) => showModelFacts(ctx.runtime, input.id)),
  create: operatorOperation(modelOperations.create),
  update: operatorOperation(modelOperations.update),
  history: operatorQuery(priceQueries.history),
  scheduled: operatorQuery(priceQueries.scheduled),
  set: operatorOperation(priceOperations.set),
  estimate: operatorPreview(priceEstimateQueries.lastMonth),
  withdraw: operatorOperation(priceOperations.withdraw),
  previewFile: operatorPreview(priceFileQueries.preview),
  importFile: operatorOperation(priceFileOperations.importFile),
  groups: operatorQuery(priceGroupQueries.list),
  createGroup: operatorOperation(priceGroupOperations.create),
  updateGroup: operatorOperation(priceGroupOperations.update),
  removeGroup: operatorOperation(priceGroupOperations.remove),
  lists: operatorQuery(priceListQueries.list),
  previewList: operatorQuery(priceListQueries.preview),
  importList: operatorOperation(priceListOperations.importList),
  costs: operatorQuery(costQueries.list),
  setCosts: operatorOperation(costOperations.set),
  copyCosts: operatorOperation(costOperations.copy),
  importCosts: operatorOperation(costOperations.importList),
  margin: operatorQuery(costQueries.margin),
});
