import { Filter as Changes } from "../routers/audit";
import { Month } from "../routers/billing";
import { AllCalls, OwnCalls } from "../routers/calls";
import { operatorProcedure, ownerProcedure, router } from "../trpc";
import { allCallsTable, callsTable, changesTable, statementTable } from "./tables";

/**
 * What can be exported, by its name in the address. Procedures, so that who may and what they may ask for is checked
 * as in every list; not of the console's router, because no call of it could carry their tables.
 */
export const exportRouter = router({
  requests: ownerProcedure
    .input(OwnCalls)
    .query(({ ctx, input }) => callsTable(ctx.runtime, { ...input, accountId: ctx.accountId })),
  "all-requests": operatorProcedure
    .input(AllCalls)
    .query(({ ctx, input }) => allCallsTable(ctx.runtime, input)),
  statement: ownerProcedure
    .input(Month)
    .query(({ ctx, input }) => statementTable(ctx.runtime, { ...input, accountId: ctx.accountId })),
  audit: operatorProcedure
    .input(Changes.omit({ cursor: true }))
    .query(({ ctx, input }) => changesTable(ctx.runtime, input)),
});
