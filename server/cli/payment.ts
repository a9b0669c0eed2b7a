import { getAccountByNameOrId } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import { paymentOperations } from "@/server/operations";
import { getPayment, listPayments, paymentView } from "@/server/payments";
import { accountOf } from "./account-flag";
import { type Command, limitOf, need } from "./command";
import { needMoney } from "./money-flag";
import { operate } from "./operate";
import { shown, shownWhole } from "./render";

/** Payments by customers. */
export const paymentCommands: Record<string, Command> = {
  create: {
    summary: "Create a payment link for an account's top-up",
    flags: { account: { type: "string", required: true }, amount: { type: "string", required: true } },
    run: async (context, values) => {
      const { id: accountId } = await getAccountByNameOrId(context.db, need(values, "account"));
      const amount = needMoney(values, "amount");
      return shown(await operate(context, paymentOperations.create, { accountId, amount }));
    },
  },
  list: {
    summary: "List payments, newest first",
    flags: { account: { type: "string" }, limit: { type: "string" } },
    run: async (context, values) => {
      const accountId = await accountOf(context, values);
      const { rows } = await listPayments(context.db, { accountId }, { limit: limitOf(values) });
      return rows.map((payment) => {
        const { account, ...rest } = inDecimals(paymentView(payment));
        return shown({ ...rest, account: account.name });
      });
    },
  },
  show: {
    summary: "Show a payment",
    flags: { payment: { type: "string", required: true } },
    run: async ({ db }, values) =>
      shownWhole(inDecimals(paymentView(await getPayment(db, { paymentId: need(values, "payment") })))),
  },
};
