import { refundOperations } from "@/server/operations";
import { callQueries } from "@/server/queries";
import { operatorOperation } from "../operations";
import { operatorQuery, ownerQuery } from "../queries";
import { router } from "../trpc";

export const callsRouter = router({
  list: ownerQuery(callQueries.list),
  sums: ownerQuery(callQueries.sums),
  get: ownerQuery(callQueries.get),
});

export const allCallsRouter = router({
  list: operatorQuery(callQueries.listAll),
  sums: operatorQuery(callQueries.sumsOfAll),
  get: operatorQuery(callQueries.get),
  refund: operatorOperation(refundOperations.create),
});
