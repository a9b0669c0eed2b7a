/**
 * Payments: customers top up by themselves. Hides the provider (`provider.ts` is all that is known of one), in which
 * order and how often it speaks, and what its words mean. Promises that of each payment the ledger has one entry, for
 * the amount that was asked for, once its provider has said by its signature that it has the money, and never because a
 * browser came back.
 */
import type { Config } from "@/server/base/config";
import type { Log } from "@/server/base/log";
import { formatMoney, type Nanos } from "@/server/base/money";
import { Refusal } from "@/server/base/refusal";
import type { Database, Tx } from "@/server/db";
import { act } from "./notices";
import type { ReturnTo } from "./provider";
import { changePayment, failPayment, type NamedPayment, type Payment, storePayment } from "./store";
import { refuseAmount, termsOf } from "./terms";

export { getPayment, listPayments } from "./store";

type Wanted = Pick<Payment, "accountId" | "amount">;
type Opening = { accountName: string; returnTo: ReturnTo };

/** `unsigned`: whoever sent it is not the provider. `unknown`: there is no such provider here. */
type Received = "done" | "ignored" | "unsigned" | "unknown";

export type Payments = {
  /** Puts a payment down. Throws Refusal. */
  begin: (tx: Tx, wanted: Wanted) => Promise<Payment>;
  /** The address of the page on which it is paid, once that payment is in the database. Throws Refusal. */
  open: (payment: Payment, opening: Opening) => Promise<string>;
  /** A message that claims to be a provider's. Throws what keeps the database from it: it is to be sent again. */
  receive: (provider: string, message: { body: string; headers: Headers }) => Promise<Received>;
};

type Deps = { db: Database; config: Config; log: Log; period: () => string };

/** What customers may pay, for pages; null: this installation takes no payments. */
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

/** What became of a payment, for people: who it is of, and what of it could not be taken back again. */
export const paymentView = ({ accountId: _, checkoutId: __, ...payment }: NamedPayment) => ({
  ...payment,
  notDebited: (payment.refunded - payment.debited) as Nanos,
});

export function createPayments({ db, config, log, period }: Deps): Payments {
  const terms = termsOf(config);
  const need = () => {
    if (terms === null) {
      throw new Refusal("this installation takes no payments", "paymentsOff");
    }
    return terms;
  };
  return {
    begin: async (tx, wanted) => {
      const { provider, currency } = need();
      refuseAmount(need(), wanted.amount);
      return await storePayment(tx, { ...wanted, currency, provider: provider.name });
    },
    open: async (payment, opening) => {
      const { id, amount, currency } = payment;
      const asked = need().provider.open({ id, amount, currency, ...opening });
      const checkout = await asked.catch(async (error: unknown) => {
        log.warn({ err: error, paymentId: id }, "no page to pay on");
        await failPayment(db, payment);
        throw new Refusal("the payment provider does not answer, or refuses", "paymentProviderAway");
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
        log.warn({ err: read.error, provider }, "a message that no payment provider has signed");
        return "unsigned";
      }
      return read !== null && (await act({ db, log, period }, terms.provider.name, read))
        ? "done"
        : "ignored";
    },
  };
}
