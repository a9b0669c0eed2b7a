import { z } from "zod";
import { showCharge } from "../charge-view";
import { ownerProcedure, router } from "../trpc";

const Call = z.strictObject({ requestId: z.string().min(1).max(64) });

export const playgroundRouter = router({
  /** How a call's charge ended; null while it is open, or if nothing was frozen. */
  charge: ownerProcedure("calls.make")
    .input(Call)
    .query(({ ctx, input }) => showCharge(ctx.runtime, { ...input, accountId: ctx.accountId })),
});
