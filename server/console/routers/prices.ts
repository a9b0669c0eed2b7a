import { z } from "zod";
import { createModel, getModel, lockModel, saveModel } from "@/server/catalog";
import { ModelChange } from "@/server/catalog/schema";
import { operatorChange } from "../changes";
import { modelChange, showCatalog, showModel } from "../price-views";
import { operatorProcedure, router } from "../trpc";
import { Money } from "../wire";

const { id } = ModelChange.shape;
const Target = z.strictObject({ id });

const VideoPrice = z.strictObject({
  durationSeconds: z.number().int(),
  resolution: z.string().max(16),
  price: Money,
});

/** What may be said of a model, as it travels. */
const Terms = ModelChange.extend({
  inputPrice: Money.optional(),
  outputPrice: Money.optional(),
  cacheReadPrice: Money.nullable().optional(),
  cacheWritePrice: Money.nullable().optional(),
  cacheWrite1hPrice: Money.nullable().optional(),
  videoPrices: z.array(VideoPrice).max(1_000).optional(),
});

export const pricesRouter = router({
  list: operatorProcedure.query(({ ctx }) => showCatalog(ctx.runtime)),
  get: operatorProcedure.input(Target).query(({ ctx, input }) => showModel(ctx.runtime, input.id)),
  create: operatorChange.input(Terms).mutation(async ({ ctx, input }) => {
    await createModel(ctx.db, input);
    await ctx.record(modelChange(null, await getModel(ctx.db, input.id)));
  }),
  /** The kind stays: what the model was sold as is in the ledger. */
  update: operatorChange.input(Terms.omit({ kind: true })).mutation(async ({ ctx, input }) => {
    const before = await lockModel(ctx.db, input.id);
    await saveModel(ctx.db, { ...input, kind: before.kind });
    await ctx.record(modelChange(before, await getModel(ctx.db, input.id)));
  }),
});
