import { modelOperations } from "@/server/operations";
import { modelQueries } from "@/server/queries";
import { operatorOperation } from "../operations";
import { operatorQuery } from "../queries";
import { router } from "../trpc";

export const pricesRouter = router({
  list: operatorQuery(modelQueries.list),
  get: operatorQuery(modelQueries.get),
  create: operatorOperation(modelOperations.create),
  update: operatorOperation(modelOperations.update),
});
