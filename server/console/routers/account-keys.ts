import { keyOperations } from "@/server/operations";
import { Id, Page } from "@/server/operations/schema";
import { showKeyPage } from "../key-views";
import { operatorOperation } from "../operations";
import { operatorProcedure, router } from "../trpc";

/** An account's keys as its operator sees them: to look at, and to switch off. */
export const accountKeysRouter = router({
  list: operatorProcedure
    .input(Page.extend({ accountId: Id }))
    .query(({ ctx, input }) => showKeyPage(ctx.runtime, input)),
  setStatus: operatorOperation(keyOperations.setStatus),
});
