import type { HeaderReader } from "@/server/base/client-request";
import type { Nanos } from "@/server/base/money";
import type { DisputeState, PaymentProvider } from "@/server/domain/enums";

/** A payment for a provider to collect from a customer. `id`: ours, by which the provider recognises a repeat. */
export type CheckoutRequest = {
  id: string;
  amount: Nanos;
  currency: string;
  accountName: string;
  returnTo: ReturnTo;
};

/** The addresses to which the customer's browser returns. */
export type ReturnTo = { paid: string; left: string };

/** The page of a payment, with the provider's name of it. */
export type Checkout = { id: string; url: string };

/** The payment of a message: by our name or, if the provider did not include that, by its own. */
type PaymentRef = { paymentId: string | null; reference: string | null };

/** A signed message from a provider. */
export type Notice = PaymentRef &
  (
    | {
        about: "checkout";
        checkoutId: string;
        outcome: "paid" | "processing" | "failed" | "expired";
        /** The amount charged by the provider. null: not an amount that we could have requested. */
        amount: Nanos | null;
        currency: string;
      }
    /** `refunded`: in total so far. */
    | { about: "refund"; refunded: Nanos | null; currency: string }
    | { about: "dispute"; dispute: DisputeState }
  );

/** A payment provider. Another one is another file like `stripe.ts`: no other file knows its protocol. */
export type Provider = {
  name: PaymentProvider;
  /** The smallest step between amounts. */
  step: (currency: string) => Nanos;
  /** Creates the payment page; the same page for the same `id`. Takes some seconds at most. */
  open: (request: CheckoutRequest) => Promise<Checkout>;
  /**
   * Reads a message that claims to be the provider's. null: not relevant to us. Throws if it is not the provider's, or
   * is too old.
   */
  read: (body: string, headers: HeaderReader) => Promise<Notice | null>;
};
