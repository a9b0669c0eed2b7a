/** Payments by customers. None of these credits money: the provider's message does (`server/payments`). */
import { z } from "zod";
import { getAccount } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { operation } from "./operation";
import { AccountId, Money } from "./schema";

/** Opens a page at the provider on which a top-up of an account is paid. */
export const create = operation({
  needs: "money.pay",
  input: z.strictObject({ accountId: AccountId, amount: Money }),
  run: async ({ db, payments, origin }, order) => {
    const account = await getAccount(db, order.accountId);
    const { id: accountId, name } = account;
    const payment = await payments.begin(db, { accountId, amount: order.amount });
    const { id, currency } = payment;
    const amount = formatMoney(payment.amount);
    const back = `${origin}/billing/payments/${id}`;
    return {
      action: "payment.create" as const,
      accountId,
      target: { id, name },
      after: { amount, currency, provider: payment.provider },
      // The provider is called outside any transaction, with data that is committed.
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
