import type { DisputeState, PaymentProvider } from "@/server/base/facts";
import type { Nanos } from "@/server/base/money";

/** What a provider is to take from a customer. `id`: ours, by which a repeat of the same is one. */
export type Asked = { id: string; amount: Nanos; currency: string; accountName: string; returnTo: ReturnTo };

/** Where the customer's browser goes from there. */
export type ReturnTo = { paid: string; left: string };

/** The page on which a payment is made, by the provider's name of it. */
export type Checkout = { id: string; url: string };

/** Of which payment somebody speaks: by our name of it, or, where the provider did not bring that, by its own. */
type Of = { paymentId: string | null; reference: string | null };

/** What a provider has said, and signed. */
export type Notice = Of &
  (
    | {
        about: "checkout";
        checkoutId: string;
        outcome: "paid" | "processing" | "failed" | "expired";
        /** What the provider has charged. null: nothing that we could have asked for. */
        amount: Nanos | null;
        currency: string;
      }
    /** `refunded`: in all, until now. */
    | { about: "refund"; refunded: Nanos | null; currency: string }
    | { about: "dispute"; dispute: DisputeState }
  );

/**
 * Who takes money from customers. Another one is another file like `stripe.ts`: nothing else knows how it is spoken to.
 */
export type Provider = {
  name: PaymentProvider;
  /** The least that amounts differ by. */
  step: (currency: string) => Nanos;
  /** Makes the page on which it is paid; the same page for the same `id`. Ends within some seconds. */
  open: (asked: Asked) => Promise<Checkout>;
  /**
   * What a message says that claims to be the provider's. null: nothing that we wait for. Throws where it is not the
   * provider's, or is too old.
   */
  read: (body: string, headers: Headers) => Promise<Notice | null>;
};
