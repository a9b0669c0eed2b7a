import { callQueries, costQueries } from "@/server/queries";
import { showMonth } from "../months";
import { showAttention, showBusiness, showLastChanges, showTraffic } from "../operator-overview";
import { findDays, showDays, showFailures, showFirstSteps, showOpenTasks } from "../owner-overview";
import { operatorQuery } from "../queries";
import { operatorProcedure, ownerProcedure, router } from "../trpc";

export const overviewRouter = router({
  month: ownerProcedure.query(({ ctx }) => showMonth(ctx.runtime, ctx.accountId)),
  days: ownerProcedure.query(async ({ ctx }) => showDays(await findDays(ctx.runtime, ctx.accountId))),
  firstSteps: ownerProcedure.query(({ ctx }) => showFirstSteps(ctx.runtime, ctx.accountId)),
  openTasks: ownerProcedure.query(({ ctx }) => showOpenTasks(ctx.runtime, ctx.accountId)),
  failures: ownerProcedure.query(({ ctx }) => showFailures(ctx.runtime, ctx.accountId)),
  business: operatorProcedure.query(({ ctx }) => showBusiness(ctx.runtime)),
  earnings: operatorQuery(costQueries.earnings),
  traffic: operatorProcedure.query(({ ctx }) => showTraffic(ctx.runtime)),
  attention: operatorProcedure.query(({ ctx }) => showAttention(ctx.runtime)),
  missedPaths: operatorQuery(callQueries.missedPaths),
  changes: operatorProcedure.query(({ ctx }) => showLastChanges(ctx.runtime)),
});
