import { showAccountMonths, showMonth } from "./months";
import { operatorProcedure, ownerProcedure, router } from "./trpc";

export const appRouter = router({
  overview: router({
    month: ownerProcedure.query(({ ctx }) => showMonth(ctx.runtime, ctx.accountId)),
  }),
  accounts: router({
    months: operatorProcedure.query(({ ctx }) => showAccountMonths(ctx.runtime)),
  }),
});

export type AppRouter = typeof appRouter;
