/** What customers pay by themselves. The money comes by the provider's word (`server/payments`), and not by any of these. */
import { z } from "zod";
import { getAccount } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { operation } from "./operation";
import { AccountId, Money } from "./schema";

/** A page at the provider's, on which somebody pays for a top-up of an account. */
export const create = operation({
  needs: "money.pay",
  input: z.strictObject({ accountId: AccountId, amount: Money }),
  run: async ({ db, payments, origin }, wanted) => {
    const account = await getAccount(db, wanted.accountId);
    const { id: accountId, name } = account;
    const payment = await payments.begin(db, { accountId, amount: wanted.amount });
    const { id, currency } = payment;
    const amount = formatMoney(payment.amount);
    const back = `${origin}/billing/payments/${id}`;
    return {
      action: "payment.create" as const,
      accountId,
      target: { id, name },
      after: { amount, currency, provider: payment.provider },
      // The provider is asked outside any transaction, and by what is in the database.
      finish: async () => ({
        id,
        amount,
        currency,
        url: await payments.open(payment, {
          accountName: name,
          returnTo: { paid: back, left: `${back}?left=true` },
        }),
      }),
    };
  },
});
