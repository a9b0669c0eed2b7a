import { getAccount } from "@/server/access";
import { periodBounds } from "@/server/domain/period";
import { accountOperations } from "@/server/operations";
import { ownerOperation } from "../operations";
import { ownerProcedure, router } from "../trpc";

/** An owner's account: its settings for all keys, and whether its top-ups outlive the month. */
export const ownAccountRouter = router({
  get: ownerProcedure("account.read").query(async ({ ctx }) => {
    const { db, billing, config } = ctx.runtime;
    const { storesResponses, carriesTopupsSince, buyerName, buyerAddress, buyerTaxNumber } = await getAccount(
      db,
      ctx.accountId,
    );
    const { end: monthEnds } = periodBounds(billing.period(), config.BILLING_TIMEZONE);
    const buyer = { buyerName, buyerAddress, buyerTaxNumber };
    return { storesResponses, carriesTopups: carriesTopupsSince !== null, monthEnds, ...buyer };
  }),
  setBuyer: ownerOperation(accountOperations.setBuyer),
  setStoresResponses: ownerOperation(accountOperations.setStoresResponses),
});
