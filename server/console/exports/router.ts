import { auditQueries, callQueries, statementQueries } from "@/server/queries";
import { operatorProcedure, ownerProcedure, router } from "../trpc";
import { callsTable, changesTable, statementTable } from "./tables";

/**
 * What can be exported, by its name in the address. Procedures, so that who may and what they may ask for is checked
 * as in every list; not of the console's router, because no call of it could carry their tables.
 */
export const exportRouter = router({
  requests: ownerProcedure
    .input(callQueries.CallFilter.omit({ accountId: true }))
    .query(({ ctx, input }) => callsTable(ctx.runtime, { ...input, accountId: ctx.accountId }, "owner")),
  "all-requests": operatorProcedure
    .input(callQueries.AllCallsFilter)
    .query(({ ctx, input }) => callsTable(ctx.runtime, input, "operator")),
  statement: ownerProcedure
    .input(statementQueries.MonthOf.omit({ accountId: true }))
    .query(({ ctx, input }) => statementTable(ctx.runtime, { ...input, accountId: ctx.accountId })),
  audit: operatorProcedure
    .input(auditQueries.Filter.omit({ cursor: true }))
    .query(({ ctx, input }) => changesTable(ctx.runtime, input)),
});
