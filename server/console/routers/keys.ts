import { z } from "zod";
import { isUnpriced, listCatalog } from "@/server/catalog";
import { keyOperations } from "@/server/operations";
import { Id, Page } from "@/server/operations/schema";
import { showKey, showKeyDays, showKeyPage } from "../key-views";
import { ownerOperation } from "../operations";
import { ownerProcedure, router } from "../trpc";

const Key = z.strictObject({ keyId: Id });

const Listing = Page.extend({
  search: z.string().max(100).optional(),
  status: z.enum(["active", "disabled", "expired"]).optional(),
});

export const keysRouter = router({
  list: ownerProcedure
    .input(Listing)
    .query(({ ctx, input }) => showKeyPage(ctx.runtime, { ...input, accountId: ctx.accountId })),
  get: ownerProcedure
    .input(Key)
    .query(({ ctx, input }) => showKey(ctx.runtime, { ...input, accountId: ctx.accountId })),
  days: ownerProcedure
    .input(Key)
    .query(({ ctx, input }) => showKeyDays(ctx.runtime, { ...input, accountId: ctx.accountId })),
  /** What a form offers: the models on sale, and where the reader calls from. */
  choices: ownerProcedure.query(async ({ ctx }) => {
    const models = (await listCatalog(ctx.runtime.db.orm)).filter(
      (model) => model.isEnabled && !isUnpriced(model),
    );
    return { address: ctx.address, models: models.map(({ id, kind }) => ({ id, kind })) };
  }),
  create: ownerOperation(keyOperations.create),
  update: ownerOperation(keyOperations.update),
  setStatus: ownerOperation(keyOperations.setStatus),
  delete: ownerOperation(keyOperations.remove),
});
