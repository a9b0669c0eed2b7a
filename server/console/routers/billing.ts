import { statementQueries, wholeStatementQueries } from "@/server/queries";
import { ownerQuery } from "../queries";
import { router } from "../trpc";

export const billingRouter = router({
  periods: ownerQuery(statementQueries.periods),
  statement: ownerQuery(statementQueries.get),
  wholeStatement: ownerQuery(wholeStatementQueries.get),
  entries: ownerQuery(statementQueries.entries),
  spend: ownerQuery(statementQueries.spend),
});
