import { listUsers } from "@/server/access";
import { userOperations } from "@/server/operations";
import { operatorOperation } from "../operations";
import { operatorProcedure, router } from "../trpc";

/** Who may sign in: accounts' users, and those who run the gateway. No password passes through here. */
export const usersRouter = router({
  /** Those who run the gateway; an account's users are shown with it. */
  list: operatorProcedure.query(({ ctx }) => listUsers(ctx.runtime.db.orm, { accountId: null })),
  add: operatorOperation(userOperations.create),
  resetPassword: operatorOperation(userOperations.resetPassword),
  resetTotp: operatorOperation(userOperations.resetTotp),
  signOut: operatorOperation(userOperations.signOut),
  setStatus: operatorOperation(userOperations.setStatus),
  setReadOnly: operatorOperation(userOperations.setReadOnly),
  remove: operatorOperation(userOperations.remove),
});
