import { newId } from "@/server/base/ids";
import { nanos } from "@/server/base/money";
import type { Caller, Door } from "./code-doors";
import type { TestGateway } from "./gateway";
import { chargeOf } from "./ledger";
import { madeUp } from "./made-up";
import type { Subject } from "./told-change";

/** A charge of an account of its own. */
export async function someCharge(
  { customer, runtime: { billing } }: Pick<TestGateway, "customer" | "runtime">,
  of: Subject,
): Promise<void> {
  const { accountId } = await customer();
  const requestId = newId("req");
  const held = await billing.hold({
    requestId,
    accountId,
    keyId: madeUp("key_of_refunds"),
    keyCap: null,
    amount: nanos(5_000_000_000n),
  });
  await billing.capture(held, chargeOf(2_000_000_000n));
  Object.assign(of, { payerId: accountId, requestId });
}

/** What an operator gives back or adjusts, by every door. */
export const refundSteps = (operator: () => Caller): Record<string, Door> => ({
  "account.adjust": {
    console: ({ accountId }) =>
      operator().accounts.adjust({ accountId, amount: "-0.5", reason: "correction" }),
    command: ({ name }) => `account adjust --account ${name} --debit --amount 0.5 --reason correction`,
    admin: ({ accountId }) => [
      `POST /accounts/${accountId}/adjustments`,
      { amount: "-0.5", reason: "correction" },
    ],
  },
  "refund.create": {
    console: ({ payerId: accountId, requestId }) =>
      operator().allCalls.refund({ accountId, requestId, amount: "0.5", reason: "outage" }),
    command: ({ payerId, requestId }) =>
      `refund create --account ${payerId} --request ${requestId} --amount 0.5 --reason outage`,
    admin: ({ payerId, requestId }) => [
      "POST /refunds",
      { account_id: payerId, request_id: requestId, amount: "0.5", reason: "outage" },
    ],
  },
});
