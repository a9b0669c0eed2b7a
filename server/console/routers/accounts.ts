import {
  accountOperations,
  erasureOperations,
  keyOperations,
  priceGroupOperations,
} from "@/server/operations";
import { accountQueries, keyQueries, wholeStatementQueries } from "@/server/queries";
import { operatorOperation } from "../operations";
import { operatorQuery } from "../queries";
import { router } from "../trpc";

export const accountsRouter = router({
  /** An account's keys for an operator: to view, and to disable. */
  keys: router({
    list: operatorQuery(keyQueries.rows),
    setStatus: operatorOperation(keyOperations.setStatus),
  }),
  list: operatorQuery(accountQueries.list),
  runningOut: operatorQuery(accountQueries.runningOut),
  get: operatorQuery(accountQueries.show),
  months: operatorQuery(wholeStatementQueries.months),
  statement: operatorQuery(wholeStatementQueries.get),
  create: operatorOperation(accountOperations.create),
  rename: operatorOperation(accountOperations.rename),
  setStatus: operatorOperation(accountOperations.setStatus),
  setBuyer: operatorOperation(accountOperations.setBuyer),
  setStoresResponses: operatorOperation(accountOperations.setStoresResponses),
  setPriceGroup: operatorOperation(priceGroupOperations.assign),
  setCarriesTopups: operatorOperation(accountOperations.setCarriesTopups),
  setLimits: operatorOperation(accountOperations.setLimits),
  setQuota: operatorOperation(accountOperations.setQuota),
  adjust: operatorOperation(accountOperations.adjust),
  topUp: operatorOperation(accountOperations.topUp),
  erase: operatorOperation(erasureOperations.eraseCustomer),
});
