import { erasureOperations, userOperations } from "@/server/operations";
import { userQueries } from "@/server/queries";
import { operatorOperation } from "../operations";
import { operatorQuery } from "../queries";
import { router } from "../trpc";

/** Who may sign in: accounts' users, and those who run the gateway. No password passes through here. */
export const usersRouter = router({
  list: operatorQuery(userQueries.list),
  add: operatorOperation(userOperations.create),
  resetPassword: operatorOperation(userOperations.resetPassword),
  resetTotp: operatorOperation(userOperations.resetTotp),
  unlink: operatorOperation(userOperations.unlink),
  signOut: operatorOperation(userOperations.signOut),
  setStatus: operatorOperation(userOperations.setStatus),
  setReadOnly: operatorOperation(userOperations.setReadOnly),
  remove: operatorOperation(userOperations.remove),
  erase: operatorOperation(erasureOperations.erasePerson),
});
