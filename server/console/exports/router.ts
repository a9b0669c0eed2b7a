import {
  auditQueries,
  callQueries,
  statementQueries,
  usageQueries,
  wholeStatementQueries,
} from "@/server/queries";
import { queryContext } from "@/server/runtime/operation-context";
import type { Runtime } from "@/server/runtime/runtime";
import { operatorProcedure, ownerProcedure, router } from "../trpc";
import { callsTable, changesTable, monthsTable, pricesTable, statementTable } from "./tables";
import { usageTable } from "./usage-table";

const lagging = (runtime: Runtime) => queryContext(runtime, { mayLag: true });

/**
 * Exports by their name in the address. They are procedures, so that permissions and filters are checked as in every
 * list; they are not in the console's router, because its answers could not carry their tables.
 */
export const exportRouter = router({
  requests: ownerProcedure("read")
    .input(callQueries.CallFilter.omit({ accountId: true }))
    .query(({ ctx, input }) =>
      callsTable(lagging(ctx.runtime), { ...input, accountId: ctx.accountId }, "owner"),
    ),
  "all-requests": operatorProcedure("staff.read")
    .input(callQueries.AllCallsFilter)
    .query(({ ctx, input }) => callsTable(lagging(ctx.runtime), input, "operator")),
  statement: ownerProcedure("read")
    .input(statementQueries.MonthOf.omit({ accountId: true }))
    .query(({ ctx, input }) => statementTable(lagging(ctx.runtime), { ...input, accountId: ctx.accountId })),
  usage: ownerProcedure("read")
    .input(usageQueries.show.input.omit({ accountId: true }))
    .query(({ ctx, input }) =>
      usageTable(lagging(ctx.runtime), { ...input, accountId: ctx.accountId }, "owner"),
    ),
  "all-usage": operatorProcedure("staff.read")
    .input(usageQueries.show.input)
    .query(({ ctx, input }) => usageTable(lagging(ctx.runtime), input, "operator")),
  months: operatorProcedure("staff.read")
    .input(wholeStatementQueries.MonthsOf)
    .query(({ ctx, input }) => monthsTable(lagging(ctx.runtime), input)),
  prices: operatorProcedure("staff.read").query(({ ctx }) => pricesTable(ctx.runtime)),
  audit: operatorProcedure("audit.read")
    .input(auditQueries.Filter.omit({ cursor: true }))
    .query(({ ctx, input }) => changesTable(lagging(ctx.runtime), input)),
});
