import type StripeClient from "stripe";
import type { Stripe } from "stripe";
import type { DisputeState } from "@/server/domain/enums";
import type { Checkout, CheckoutRequest, Notice, Provider } from "./provider";
import { fromStripe, stepOf, toStripe } from "./stripe-amounts";

/** The longest time of one call of the API, which is tried twice. */
const CALL_MS = 8_000;
const RETRIES = 1;

/** A message that was signed longer ago may be a replay by an attacker. Stripe signs each attempt separately. */
const TOLERANCE_SECONDS = 300;

/** How long a page can be paid; Stripe requires at least 30 minutes. */
const CHECKOUT_MINUTES = 60;

type Keys = { secretKey: string; webhookSecret: string; apiBase: string };

/** The library is large, so it is loaded only when it is needed. */
async function connect({ secretKey, apiBase }: Keys): Promise<StripeClient> {
  const { default: Client } = await import("stripe");
  const { protocol, hostname, port } = new URL(apiBase);
  return new Client(secretKey, {
    protocol: protocol === "http:" ? "http" : "https",
    host: hostname,
    port: port || (protocol === "http:" ? 80 : 443),
    timeout: CALL_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });
}

/** Requires https, so that the payment page cannot be read on the way. Only a test has an API without https. */
const isSafePage = (url: string, apiBase: string): boolean =>
  URL.canParse(url) && ["https:", new URL(apiBase).protocol].includes(new URL(url).protocol);

async function open(stripe: StripeClient, request: CheckoutRequest, apiBase: string): Promise<Checkout> {
  const { id, amount, currency, accountName, returnTo } = request;
  const metadata = { payment_id: id };
  const session = await stripe.checkout.sessions.create(
    {
      mode: "payment",
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: currency.toLowerCase(),
            unit_amount: toStripe(amount, currency),
            product_data: { name: `Top-up: ${accountName}` },
          },
        },
      ],
      client_reference_id: id,
      metadata,
      // Charges and their refunds get the metadata from here.
      payment_intent_data: { metadata },
      expires_at: Math.floor(Date.now() / 1000) + CHECKOUT_MINUTES * 60,
      success_url: returnTo.paid,
      cancel_url: returnTo.left,
    },
    // A repeat, such as a retry of the library, gets the same page.
    { idempotencyKey: id },
  );
  if (session.url === null || !isSafePage(session.url, apiBase)) {
    throw new Error(`Stripe's session ${session.id} has no page that a browser may be sent to`);
  }
  return { id: session.id, url: session.url };
}

/** Members that are an identifier or, if expanded, the whole object. */
const idOf = (member: string | { id: string } | null): string | null =>
  typeof member === "string" || member === null ? member : member.id;

type SessionOutcome = Extract<Notice, { about: "checkout" }>["outcome"];

function ofSession(session: Stripe.Checkout.Session, outcome: SessionOutcome): Notice {
  return {
    about: "checkout",
    paymentId: session.client_reference_id,
    reference: idOf(session.payment_intent),
    checkoutId: session.id,
    outcome,
    amount: fromStripe(session.amount_total, session.currency),
    currency: (session.currency ?? "").toUpperCase(),
  };
}

const disputes: Partial<Record<Stripe.Dispute["status"], DisputeState>> = {
  won: "won",
  lost: "lost",
  // An inquiry without a dispute.
  warning_closed: "won",
  prevented: "won",
};

/** Reads an event; null: not relevant to us, such as another program's on the same Stripe account. */
function toNotice(event: Stripe.Event): Notice | null {
  switch (event.type) {
    case "checkout.session.completed": {
      const isPaid = event.data.object.payment_status === "paid";
      return ofSession(event.data.object, isPaid ? "paid" : "processing");
    }
    case "checkout.session.async_payment_succeeded":
      return ofSession(event.data.object, "paid");
    case "checkout.session.async_payment_failed":
      return ofSession(event.data.object, "failed");
    case "checkout.session.expired":
      return ofSession(event.data.object, "expired");
    case "charge.refunded": {
      const { metadata, payment_intent, amount_refunded, currency } = event.data.object;
      return {
        about: "refund",
        paymentId: metadata.payment_id ?? null,
        reference: idOf(payment_intent),
        refunded: fromStripe(amount_refunded, currency),
        currency: currency.toUpperCase(),
      };
    }
    case "charge.dispute.created":
    case "charge.dispute.closed": {
      const { payment_intent, status } = event.data.object;
      return {
        about: "dispute",
        paymentId: null,
        reference: idOf(payment_intent),
        dispute: disputes[status] ?? "open",
      };
    }
    default:
      return null;
  }
}

/** Throws for a message that was signed in the future: it would be valid for longer than the tolerance. */
function refuseFuture(signature: string): void {
  const times = [...signature.matchAll(/(?:^|,)\s*t=(\d+)/g)].map(([, seconds]) => Number(seconds));
  if (times.some((seconds) => seconds > Date.now() / 1000 + TOLERANCE_SECONDS)) {
    throw new Error("the message's time is in the future");
  }
}

/** Stripe Checkout (docs.stripe.com/payments/checkout), and its events. */
export function createStripe(keys: Keys): Provider {
  let connected: Promise<StripeClient> | undefined;
  const client = () => {
    connected ??= connect(keys);
    return connected;
  };
  return {
    name: "stripe",
    step: stepOf,
    open: async (request) => await open(await client(), request, keys.apiBase),
    read: async (body, headers) => {
      const { webhooks } = await client();
      const signature = headers.get("stripe-signature") ?? "";
      refuseFuture(signature);
      return toNotice(webhooks.constructEvent(body, signature, keys.webhookSecret, TOLERANCE_SECONDS));
    },
  };
}
