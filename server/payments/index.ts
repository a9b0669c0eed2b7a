/**
 * Payments: customers top up by themselves. Hides the provider (`provider.ts` is all that is known of one), the order
 * and the number of its messages, and their meaning. Promises that the ledger has one entry for each payment, of the
 * requested amount, once the provider has confirmed with its signature that it has the money, and never because a
 * browser came back.
 */
import type { HeaderReader } from "@/server/base/client-request";
import type { Config } from "@/server/base/config";
import type { Log } from "@/server/base/log";
import { formatMoney, type Nanos } from "@/server/base/money";
import type { Database, Tx } from "@/server/db";
import { Refusal } from "@/server/domain/refusal";
import { act } from "./notices";
import type { ReturnTo } from "./provider";
import { changePayment, failPayment, type NamedPayment, type Payment, storePayment } from "./store";
import { refuseAmount, termsOf } from "./terms";

export { getPayment, listPayments } from "./store";

type PaymentOrder = Pick<Payment, "accountId" | "amount">;
type Opening = { accountName: string; returnTo: ReturnTo };

/** `unsigned`: the message is not from the provider. `unknown`: this installation does not have that provider. */
type NoticeResult = "done" | "ignored" | "unsigned" | "unknown";

export type Payments = {
  /** Stores a payment. Throws Refusal. */
  begin: (tx: Tx, order: PaymentOrder) => Promise<Payment>;
  /** The address of the payment page, once the payment is committed. Throws Refusal. */
  open: (payment: Payment, opening: Opening) => Promise<string>;
  /**
   * Handles a message that claims to be a provider's. Throws the database's error, so that the provider sends it again.
   */
  receive: (provider: string, message: { body: string; headers: HeaderReader }) => Promise<NoticeResult>;
};

type PaymentsDeps = { db: Database; config: Config; log: Log; period: () => string };

/** Terms of payments by customers, for pages; null: this installation takes no payments. */
export function describePayments(config: Config) {
  const terms = termsOf(config);
  return (
    terms && {
      provider: terms.provider.name,
      min: formatMoney(terms.min),
      max: formatMoney(terms.max),
      step: formatMoney(terms.step),
    }
  );
}

/** A payment for people, with its account's name, and the refunded amount that could not be debited. */
export const paymentView = ({ accountId: _, checkoutId: __, ...payment }: NamedPayment) => ({
  ...payment,
  notDebited: (payment.refunded - payment.debited) as Nanos,
});

export function createPayments({ db, config, log, period }: PaymentsDeps): Payments {
  const terms = termsOf(config);
  const need = () => {
    if (terms === null) {
      throw new Refusal("online payments are not set up", "paymentsOff");
    }
    return terms;
  };
  return {
    begin: async (tx, order) => {
      const { provider, currency } = need();
      refuseAmount(need(), order.amount);
      return await storePayment(tx, { ...order, currency, provider: provider.name });
    },
    open: async (payment, opening) => {
      const { id, amount, currency } = payment;
      const request = need().provider.open({ id, amount, currency, ...opening });
      const checkout = await request.catch(async (error: unknown) => {
        log.warn({ err: error, paymentId: id }, "the payment provider opened no checkout page");
        await failPayment(db, payment);
        throw new Refusal("the payment provider did not open a checkout page", "paymentProviderAway");
      });
      await changePayment(db, payment, { checkoutId: checkout.id });
      return checkout.url;
    },
    receive: async (provider, { body, headers }) => {
      if (terms?.provider.name !== provider) {
        return "unknown";
      }
      const read = await terms.provider.read(body, headers).catch((error: unknown) => ({ error }));
      if (read !== null && "error" in read) {
        log.warn({ err: read.error, provider }, "a payment message without a valid signature was rejected");
        return "unsigned";
      }
      return read !== null && (await act({ db, log, period }, terms.provider.name, read))
        ? "done"
        : "ignored";
    },
  };
}
