import { erasureOperations, userOperations } from "@/server/operations";
import { userQueries } from "@/server/queries";
import { operatorOperation, ownerOperation } from "../operations";
import { operatorQuery, ownerQuery } from "../queries";
import { router } from "../trpc";

/** The people of an owner's account. */
export const peopleRouter = router({
  list: ownerQuery(userQueries.list),
  add: ownerOperation(userOperations.create),
  resetPassword: ownerOperation(userOperations.resetPassword),
  signOut: ownerOperation(userOperations.signOut),
  setStatus: ownerOperation(userOperations.setStatus),
  setRole: ownerOperation(userOperations.setRole),
  remove: ownerOperation(userOperations.remove),
});

/** All users: the operators, or the people of an account if one is named. */
export const usersRouter = router({
  list: operatorQuery(userQueries.list),
  add: operatorOperation(userOperations.create),
  resetPassword: operatorOperation(userOperations.resetPassword),
  resetTotp: operatorOperation(userOperations.resetTotp),
  unlink: operatorOperation(userOperations.unlink),
  signOut: operatorOperation(userOperations.signOut),
  setStatus: operatorOperation(userOperations.setStatus),
  setRole: operatorOperation(userOperations.setRole),
  remove: operatorOperation(userOperations.remove),
  erase: operatorOperation(erasureOperations.erasePerson),
});
