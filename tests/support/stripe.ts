import { createServer } from "node:http";
import StripeClient, { type Stripe } from "stripe";
import { bodyOf, end, listen } from "./listen";

export const STRIPE_KEYS = { STRIPE_SECRET_KEY: "sk_test_loopback", STRIPE_WEBHOOK_SECRET: "whsec_loopback" };

export type Session = {
  id: string;
  amount: number;
  currency: string;
  paymentId: string;
  successUrl: string;
  cancelUrl: string;
  idempotencyKey: string;
};

export type StripeMessage = ReturnType<typeof signed>;

const { webhooks } = new StripeClient(STRIPE_KEYS.STRIPE_SECRET_KEY);

/** An event as Stripe signs it. `secondsAgo`: the age of the signature. */
export function signed(
  event: { type: string; object: object },
  { secret = STRIPE_KEYS.STRIPE_WEBHOOK_SECRET, secondsAgo = 0 } = {},
) {
  const { type, object } = event;
  const body = JSON.stringify({ id: `evt_${Math.random()}`, object: "event", type, data: { object } });
  const timestamp = Math.floor(Date.now() / 1000) - secondsAgo;
  return { body, signature: webhooks.generateTestHeaderString({ payload: body, secret, timestamp }) };
}

export const referenceOf = ({ id }: Session) => id.replace("cs_", "pi_");

/** The members of Stripe's checkout session that the gateway reads, as documented. */
export const sessionObject = (session: Session, change: Partial<Stripe.Checkout.Session> = {}) => ({
  ...{ id: session.id, object: "checkout.session", amount_total: session.amount },
  ...{ currency: session.currency, client_reference_id: session.paymentId },
  ...{ metadata: { payment_id: session.paymentId }, mode: "payment" },
  ...{ payment_intent: referenceOf(session), payment_status: "paid", status: "complete" },
  ...change,
});

export const paidEvent = (session: Session) =>
  signed({ type: "checkout.session.completed", object: sessionObject(session) });

/** The event of a charge of which `refunded` was paid back. */
export const refundEvent = (session: Session, refunded: number) =>
  signed({
    type: "charge.refunded",
    object: {
      ...{ id: session.id.replace("cs_", "ch_"), object: "charge", amount: session.amount },
      ...{ amount_refunded: refunded, currency: session.currency, payment_intent: referenceOf(session) },
      metadata: { payment_id: session.paymentId },
    },
  });

export const deliver = (origin: string, { body, signature }: StripeMessage) =>
  fetch(`${origin}/payments/stripe/webhook`, {
    method: "POST",
    headers: { "stripe-signature": signature, "content-type": "application/json" },
    body,
  });

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The page on which a person pays, with a button for each possible action. */
const pageOf = ({
  id,
  amount,
  currency,
  cancelUrl,
}: Session) => `<!doctype html><html lang="en"><title>Checkout</title>
  <h1>${amount / 100} ${currency}</h1>
  <form method="post" action="/pay/${id}"><button>Pay</button></form>
  <form method="post" action="/pay/${id}/later"><button>Pay by bank transfer</button></form>
  <a href="${escaped(cancelUrl)}">Leave</a>`;

/** Stripe's API for checkouts, on this machine: the library calls it like the real one. */
export async function startStripe() {
  const sessions: Session[] = [];
  let [origin, refusal]: [string, number | "silence" | null] = ["", null];
  let base = "";
  function open(form: URLSearchParams, idempotencyKey: string): Session {
    const existing = sessions.find((session) => session.idempotencyKey === idempotencyKey);
    const fieldOf = (name: string) => form.get(name) ?? "";
    const session = existing ?? {
      id: `cs_test_${sessions.length}_${process.pid}_${Date.now()}`,
      amount: Number(fieldOf("line_items[0][price_data][unit_amount]")),
      ...{
        currency: fieldOf("line_items[0][price_data][currency]"),
        paymentId: fieldOf("client_reference_id"),
      },
      ...{ successUrl: fieldOf("success_url"), cancelUrl: fieldOf("cancel_url"), idempotencyKey },
    };
    if (!existing) {
      sessions.push(session);
    }
    return session;
  }
  /** Three times at once, as a provider may do that gets no answer. */
  const pay = (session: Session, isLate: boolean) => {
    const object = sessionObject(session, isLate ? { payment_status: "unpaid" } : {});
    const message = signed({ type: "checkout.session.completed", object });
    return Promise.all([1, 2, 3].map(() => deliver(origin, message)));
  };
  const server = createServer(async (incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? "/", base);
    const text = (await bodyOf(incoming)).toString();
    if (pathname === "/v1/checkout/sessions" && incoming.method === "POST") {
      if (refusal === "silence") {
        return;
      }
      const session = open(new URLSearchParams(text), String(incoming.headers["idempotency-key"] ?? ""));
      const answer =
        refusal === null
          ? {
              ...sessionObject(session, { status: "open", payment_status: "unpaid" }),
              url: `${base}/pay/${session.id}`,
            }
          : { error: { type: "invalid_request_error", message: "refused" } };
      outgoing.writeHead(refusal ?? 200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      return;
    }
    const [, id, later] = /^\/pay\/(\w+)(\/later)?$/.exec(pathname) ?? [];
    const session = sessions.find((candidate) => candidate.id === id);
    if (!session) {
      outgoing.writeHead(404).end();
      return;
    }
    if (incoming.method === "POST") {
      await pay(session, later !== undefined);
      outgoing.writeHead(303, { location: session.successUrl }).end();
      return;
    }
    outgoing.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pageOf(session));
  });
  base = `http://127.0.0.1:${await listen(server)}`;
  return {
    url: base,
    /** In the order of their requests; a repeated request adds none. */
    sessions,
    /** Sets the origin that gets its events. */
    tell: (to: string) => {
      origin = to;
    },
    /** Sets its next answers instead of a session: a status, or no answer at all. */
    refuse: (next: number | "silence" | null) => {
      refusal = next;
    },
    close: () => void end(server),
  };
}
