import { alertOperations } from "@/server/operations";
import { alertQueries } from "@/server/queries";
import { operatorOperation, ownerOperation } from "../operations";
import { operatorQuery, ownerQuery } from "../queries";
import { router } from "../trpc";

/** E-mail alerts of an owner's account. */
export const alertsRouter = router({
  list: ownerQuery(alertQueries.list),
  set: ownerOperation(alertOperations.set),
  test: ownerOperation(alertOperations.test),
});

/** E-mail alerts of operators, who receive those of every account. */
export const installationAlertsRouter = router({
  list: operatorQuery(alertQueries.list),
  set: operatorOperation(alertOperations.set),
  test: operatorOperation(alertOperations.test),
});
