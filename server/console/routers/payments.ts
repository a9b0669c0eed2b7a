import { paymentOperations } from "@/server/operations";
import { paymentQueries } from "@/server/queries";
import { ownerOperation } from "../operations";
import { operatorQuery, ownerQuery } from "../queries";
import { router } from "../trpc";

/** Payments of an account. */
export const paymentsRouter = router({
  list: ownerQuery(paymentQueries.list),
  get: ownerQuery(paymentQueries.get),
  create: ownerOperation(paymentOperations.create),
});

/** Payments of all accounts, for operators. */
export const allPaymentsRouter = router({ list: operatorQuery(paymentQueries.list) });
