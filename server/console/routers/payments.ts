import { paymentOperations } from "@/server/operations";
import { paymentQueries } from "@/server/queries";
import { ownerOperation } from "../operations";
import { operatorQuery, ownerQuery } from "../queries";
import { router } from "../trpc";

/** What an account pays by itself. */
export const paymentsRouter = router({
  list: ownerQuery(paymentQueries.list),
  get: ownerQuery(paymentQueries.get),
  create: ownerOperation(paymentOperations.create),
});

/** And of all accounts, for those who run the gateway. */
export const allPaymentsRouter = router({ list: operatorQuery(paymentQueries.list) });
