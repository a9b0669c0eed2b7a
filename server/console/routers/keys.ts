import { isUnpriced, listCatalog } from "@/server/catalog";
import { keyOperations } from "@/server/operations";
import { keyQueries } from "@/server/queries";
import { ownerOperation } from "../operations";
import { ownerQuery } from "../queries";
import { ownerProcedure, router } from "../trpc";

export const keysRouter = router({
  list: ownerQuery(keyQueries.rows),
  get: ownerQuery(keyQueries.get),
  days: ownerQuery(keyQueries.days),
  /** Choices of a form: the models on sale, and the reader's own address. */
  choices: ownerProcedure("account.read").query(async ({ ctx }) => {
    const models = (await listCatalog(ctx.runtime.db)).filter(
      (model) => model.isEnabled && !isUnpriced(model),
    );
    return { address: ctx.address, models: models.map(({ id, kind }) => ({ id, kind })) };
  }),
  create: ownerOperation(keyOperations.create),
  update: ownerOperation(keyOperations.update),
  setStatus: ownerOperation(keyOperations.setStatus),
  setStatuses: ownerOperation(keyOperations.setStatuses),
  rotate: ownerOperation(keyOperations.rotate),
  retireSecret: ownerOperation(keyOperations.retireSecret),
  duplicate: ownerOperation(keyOperations.duplicate),
  delete: ownerOperation(keyOperations.remove),
});
