import { showModels } from "../model-views";
import { ownerProcedure, router } from "../trpc";

export const modelsRouter = router({
  /** What is on sale, by identifier. */
  list: ownerProcedure.query(({ ctx }) => showModels(ctx.runtime)),
});
