import { taskOperations } from "@/server/operations";
import { taskQueries } from "@/server/queries";
import { operatorOperation, ownerOperation } from "../operations";
import { operatorQuery, ownerQuery } from "../queries";
import { router } from "../trpc";

export const videosRouter = router({
  list: ownerQuery(taskQueries.list),
  get: ownerQuery(taskQueries.get),
  cancel: ownerOperation(taskOperations.cancel),
});

export const allVideosRouter = router({
  list: operatorQuery(taskQueries.listAll),
  get: operatorQuery(taskQueries.get),
  cancel: operatorOperation(taskOperations.cancel),
});
