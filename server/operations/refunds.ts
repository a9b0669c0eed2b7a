import { z } from "zod";
import { getAccount } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { refundCharge } from "@/server/billing";
import { chargeIdOf, getCall, listCalls } from "@/server/calls";
import { operation, type TxContext } from "./operation";
import { AccountId, Id, Money, Once, Reason } from "./schema";

const Wanted = z.strictObject({
  requestId: Id.describe("The charged request; for a video, its task"),
  accountId: AccountId.optional().describe("The account, if the request is no longer listed"),
  amount: Money.optional().describe("Default: all that is left of the charge"),
  reason: Reason,
  once: Once,
});

/**
 * Finds a request's charge; for a task, or a request that is no longer in the log of calls, the identifier given is the
 * charge's.
 */
async function findCharge({ db }: TxContext, { requestId, accountId }: z.output<typeof Wanted>) {
  if (accountId !== undefined) {
    const account = await getAccount(db, accountId);
    const { rows } = await listCalls(db, { requestId, accountId: account.id }, { limit: 1 });
    return { account, chargeId: rows[0] ? chargeIdOf(rows[0]) : requestId };
  }
  const call = await getCall(db, { requestId });
  return { account: await getAccount(db, call.accountId), chargeId: chargeIdOf(call) };
}

/** Refunds a charge, into the current month. */
export const create = operation({
  needs: "money.write",
  input: Wanted,
  run: async (call, input) => {
    const { account, chargeId } = await findCharge(call, input);
    const { reason, requestId, amount = null, once: id } = input;
    const period = call.period();
    const made = await refundCharge(call.db, {
      id,
      accountId: account.id,
      chargeId,
      period,
      amount,
      reason,
    });
    return {
      action: "refund.create",
      accountId: account.id,
      target: { id: chargeId, name: chargeId },
      after: { amount: formatMoney(made.amount), period, reason },
      result: {
        id: made.entryId,
        requestId,
        amount: formatMoney(made.amount),
        period,
        left: formatMoney(made.left),
        available: formatMoney(made.balance.available),
      },
    };
  },
});
