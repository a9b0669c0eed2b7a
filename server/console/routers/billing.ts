import { z } from "zod";
import { Page } from "@/server/operations/schema";
import { showEntries, showPeriods, showSpend, showStatement } from "../statement-views";
import { ownerProcedure, router } from "../trpc";

/** A billing month. */
export const Month = z.strictObject({
  period: z
    .string()
    .length(7)
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/),
});

const Entries = Month.extend({
  ...Page.shape,
  kind: z.enum(["grant", "topup", "adjust", "capture", "release"]).optional(),
});

export const billingRouter = router({
  periods: ownerProcedure.query(({ ctx }) => showPeriods(ctx.runtime, ctx.accountId)),
  statement: ownerProcedure
    .input(Month)
    .query(({ ctx, input }) => showStatement(ctx.runtime, { ...input, accountId: ctx.accountId })),
  entries: ownerProcedure
    .input(Entries)
    .query(({ ctx, input }) => showEntries(ctx.runtime, { ...input, accountId: ctx.accountId })),
  spend: ownerProcedure
    .input(Month)
    .query(({ ctx, input }) => showSpend(ctx.runtime, { ...input, accountId: ctx.accountId })),
});
