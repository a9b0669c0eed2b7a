import { codeOperations } from "@/server/operations";
import { codeQueries } from "@/server/queries";
import { operatorOperation, ownerOperation } from "../operations";
import { operatorQuery } from "../queries";
import { router } from "../trpc";

/** Codes that customers redeem for money. */
export const codesRouter = router({
  list: operatorQuery(codeQueries.list),
  get: operatorQuery(codeQueries.get),
  create: operatorOperation(codeOperations.create),
  disable: operatorOperation(codeOperations.disable),
  redeem: ownerOperation(codeOperations.redeem),
});
