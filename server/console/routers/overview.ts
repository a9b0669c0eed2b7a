import { callQueries, costQueries, spendOfLastDays } from "@/server/queries";
import { showMonth } from "../months";
import { showAttention, showBusiness, showLastChanges, showTraffic } from "../operator-overview";
import { showOperatorSteps } from "../operator-steps";
import { showFailures, showFirstSteps, showOpenTasks } from "../owner-overview";
import { operatorQuery } from "../queries";
import { operatorProcedure, ownerProcedure, router } from "../trpc";

export const overviewRouter = router({
  month: ownerProcedure("account.read").query(({ ctx }) => showMonth(ctx.runtime, ctx.accountId)),
  days: ownerProcedure("account.read").query(({ ctx }) =>
    spendOfLastDays(ctx.runtime, { accountId: ctx.accountId }),
  ),
  firstSteps: ownerProcedure("account.read").query(({ ctx }) => showFirstSteps(ctx.runtime, ctx.accountId)),
  openTasks: ownerProcedure("account.read").query(({ ctx }) => showOpenTasks(ctx.runtime, ctx.accountId)),
  failures: ownerProcedure("account.read").query(({ ctx }) => showFailures(ctx.runtime, ctx.accountId)),
  business: operatorProcedure("staff.read").query(({ ctx }) => showBusiness(ctx.runtime)),
  earnings: operatorQuery(costQueries.earnings),
  traffic: operatorProcedure("staff.read").query(({ ctx }) => showTraffic(ctx.runtime)),
  attention: operatorProcedure("staff.read").query(({ ctx }) => showAttention(ctx.runtime, ctx.viewer.role)),
  operatorSteps: operatorProcedure("staff.read").query(({ ctx }) => showOperatorSteps(ctx.runtime)),
  missedPaths: operatorQuery(callQueries.missedPaths),
  changes: operatorProcedure("audit.read").query(({ ctx }) => showLastChanges(ctx.runtime)),
});
