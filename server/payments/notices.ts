import type { Log } from "@/server/base/log";
import { type Nanos, nanos } from "@/server/base/money";
import { debit, recallEscrows, topUp } from "@/server/billing";
import { type Database, type Tx, transaction } from "@/server/db";
import type { PaymentProvider } from "@/server/domain/enums";
import type { Notice } from "./provider";
import { type CheckoutOutcome, stateAfter } from "./state";
import { changePayment, findPayment, isReferenceTaken, lockPayment, type Payment } from "./store";

export type NoticeDeps = {
  db: Database;
  log: Log;
  /** The current month. Throws unavailable (503) if the clock is not trusted. */
  period: () => string;
};

type NoticeAbout<About extends Notice["about"]> = Extract<Notice, { about: About }>;

/** Only the requested amount counts as paid. */
function outcomeOf(payment: Payment, notice: NoticeAbout<"checkout">): CheckoutOutcome {
  if (notice.outcome !== "paid") {
    return notice.outcome;
  }
  const isAsked =
    notice.amount === payment.amount && notice.currency === payment.currency && notice.reference !== null;
  return isAsked ? "paid" : "amiss";
}

/**
 * Records a payment once: a second process waits for the row, and finds it paid. The ledger's entry has the provider's
 * own name of the payment.
 */
async function settle(
  tx: Tx,
  payment: Payment,
  { notice, deps }: { notice: NoticeAbout<"checkout">; deps: NoticeDeps },
) {
  const { id, accountId, amount, provider } = payment;
  if (payment.checkoutId !== null && payment.checkoutId !== notice.checkoutId) {
    deps.log.error(
      { paymentId: id, checkoutId: notice.checkoutId },
      "a payment message names a different checkout",
    );
    return payment;
  }
  const { checkoutId } = notice;
  // One payment at the provider cannot pay for two here: an operator must look at the second.
  const isTaken = await isReferenceTaken(tx, payment, notice.reference);
  const reference = isTaken ? null : notice.reference;
  const state = stateAfter(payment.state, outcomeOf(payment, { ...notice, reference }));
  const change = { state, checkoutId, ...(reference !== null && { reference }) };
  if (state === payment.state) {
    return payment;
  }
  if (state !== "paid") {
    await changePayment(tx, payment, change);
    if (state === "review") {
      deps.log.error(
        { paymentId: id, accountId },
        "the amount paid differs from the amount requested: nothing was credited",
      );
    }
    return { ...payment, ...change };
  }
  const period = deps.period();
  const entry = `${provider}_${reference}`;
  await topUp(tx, { id: entry, accountId, period, amount, reason: `${provider} ${reference}` });
  await changePayment(tx, payment, { ...change, period });
  return { ...payment, ...change, period };
}

/** A payment before and after a message. */
type PaymentChange = { was: Payment; payment: Payment };

/**
 * Debits the amount that the provider has refunded, as far as it is not spent here (law 1): the rest stays visible as
 * the difference of the two sums. An operator must settle it; no later message debits it again.
 */
async function takeBack(tx: Tx, { was, payment }: PaymentChange, { period }: NoticeDeps): Promise<void> {
  const owed = payment.refunded - (was.state === "paid" ? was.refunded : 0n);
  if (payment.state !== "paid" || owed <= 0n) {
    return;
  }
  const { accountId, provider, reference } = payment;
  const reason = `${provider} ${reference}: paid back`;
  const amount = await debit(tx, { accountId, period: period(), amount: nanos(owed), reason });
  if (amount > 0n) {
    await changePayment(tx, payment, { debited: nanos(payment.debited + amount) });
  }
}

/** A sum that only grows, in whatever order its messages come. */
const greater = (a: Nanos, b: Nanos): Nanos => (a > b ? a : b);
const lesser = (a: Nanos, b: Nanos): Nanos => (a < b ? a : b);

/** Applies a notice to the payment. */
async function note(tx: Tx, payment: Payment, { notice, deps }: { notice: Notice; deps: NoticeDeps }) {
  if (notice.about === "checkout") {
    return await settle(tx, payment, { notice, deps });
  }
  if (notice.about === "dispute") {
    const { dispute } = notice;
    // The end of a dispute may be reported before its beginning.
    if (dispute !== "open" || payment.dispute === null) {
      await changePayment(tx, payment, { dispute });
      deps.log.warn(
        { paymentId: payment.id, accountId: payment.accountId, dispute },
        "a payment is disputed",
      );
    }
    return payment;
  }
  if (notice.refunded === null || notice.currency !== payment.currency) {
    deps.log.error({ paymentId: payment.id }, "refunded in a different currency: nothing was debited");
    return payment;
  }
  if (notice.refunded > payment.amount) {
    deps.log.error(
      { paymentId: payment.id },
      "more was refunded than was paid: only the paid amount is debited",
    );
  }
  const refunded = greater(payment.refunded, lesser(notice.refunded, payment.amount));
  await changePayment(tx, payment, { refunded });
  return { ...payment, refunded };
}

/**
 * Handles a provider's message. The money moves once, however often and in whatever order messages come. Returns
 * whether the message was about a payment of ours.
 */
export async function act(deps: NoticeDeps, provider: PaymentProvider, notice: Notice): Promise<boolean> {
  const payment = await findPayment(deps.db, { provider, ...notice });
  if (!payment) {
    return false;
  }
  if (notice.about === "refund") {
    // Escrowed money counts as frozen, which cannot be debited.
    await recallEscrows(deps.db, { accountId: payment.accountId });
  }
  await transaction(deps.db, async (tx) => {
    const was = await lockPayment(tx, payment);
    await takeBack(tx, { was, payment: await note(tx, was, { notice, deps }) }, deps);
  });
  return true;
}
