import { getAccount } from "@/server/access";
import { accountOperations } from "@/server/operations";
import { ownerOperation } from "../operations";
import { ownerProcedure, router } from "../trpc";

/** An owner's settings for all keys of the account. */
export const ownAccountRouter = router({
  get: ownerProcedure("account.read").query(async ({ ctx }) => {
    const { storesResponses } = await getAccount(ctx.runtime.db, ctx.accountId);
    return { storesResponses };
  }),
  setStoresResponses: ownerOperation(accountOperations.setStoresResponses),
});
