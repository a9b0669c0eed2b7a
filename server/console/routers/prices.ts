import { modelOperations } from "@/server/operations";
import { operatorOperation } from "../operations";
import { showCatalog, showModel } from "../price-views";
import { operatorProcedure, router } from "../trpc";

const Target = modelOperations.create.input.pick({ id: true });

export const pricesRouter = router({
  list: operatorProcedure.query(({ ctx }) => showCatalog(ctx.runtime)),
  get: operatorProcedure.input(Target).query(({ ctx, input }) => showModel(ctx.runtime, input.id)),
  create: operatorOperation(modelOperations.create),
  update: operatorOperation(modelOperations.update),
});
