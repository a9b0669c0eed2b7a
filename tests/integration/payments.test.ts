/** Customers pay by themselves: an event that the provider has signed is credited, once, and nothing else ever is. */

import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { callerFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import {
  deliver,
  paidEvent,
  referenceOf,
  refundEvent,
  type Session,
  STRIPE_KEYS,
  sessionObject,
  signed,
  startStripe,
} from "@/tests/support/stripe";

const stripe = perFile(startStripe);
const env = () => ({ ...STRIPE_KEYS, STRIPE_API_BASE: stripe.url, CURRENCY: "CNY" });
const gateway = perFile(() => startGateway({ env: env() }));
const other = perFile(() => startGateway({ env: env(), databaseUrl: gateway.databaseUrl }));

async function newPayment({ amount = "50", quota = "0" } = {}) {
  const { accountId, secret } = await gateway.customer({ quota });
  const owner = await callerFor(gateway, { role: "owner", accountId });
  const { id, url } = await owner.payments.create({ amount });
  const session = stripe.sessions.find(({ paymentId }) => paymentId === id) ?? expect.fail("no session");
  const state = async () => await owner.payments.get({ paymentId: id });
  return { accountId, secret, owner, id, url, session, state };
}

const entriesOf = (accountId: string) =>
  sqlOf(gateway.runtime.db)<{ id: string; kind: string; amount: string; note: string }[]>`
    select id, kind, amount, note from ledger_entries
    where account_id = ${accountId} and kind <> 'grant' order by created_at, id`;

const statusOf = async (message: Parameters<typeof deliver>[1], origin = gateway.url) =>
  (await deliver(origin, message)).status;

const event = (session: Session, type: string, change: Parameters<typeof sessionObject>[1] = {}) =>
  signed({ type: `checkout.session.${type}`, object: sessionObject(session, change) });

describe("a payment", () => {
  test("is requested from the provider with its amount and its own id, and credits nothing yet", async () => {
    const { accountId, id, url, session, state } = await newPayment({ amount: "12.5" });
    expect(url).toContain(session.id);
    expect(session).toMatchObject({ amount: 1_250, currency: "cny", paymentId: id, idempotencyKey: id });
    expect(session.successUrl).toMatch(new RegExp(`/billing/payments/${id}$`));
    expect(await state()).toMatchObject({ state: "open", amount: "12.5", reference: null });
    expect(await entriesOf(accountId)).toEqual([]);
  });

  test("is credited once, as one entry with the provider's name, after twenty deliveries to two servers at once", async () => {
    const { accountId, session, state } = await newPayment();
    const messages = [paidEvent(session), paidEvent(session), event(session, "async_payment_succeeded")];
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        statusOf(messages[at % 3] ?? expect.fail(), at % 2 === 0 ? gateway.url : other.url),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const reference = referenceOf(session);
    expect(await entriesOf(accountId)).toEqual([
      { id: `stripe_${reference}`, kind: "topup", amount: "50000000000", note: `stripe ${reference}` },
    ]);
    expect(await state()).toMatchObject({ state: "paid", reference, notDebited: "0" });
    expect((await gateway.balance(accountId)).available).toBe(50_000_000_000n);
    expect(await gateway.verify()).toEqual([]);
  });

  test("by a slow method is processing until its money arrives, and can fail before", async () => {
    const late = await newPayment();
    await statusOf(event(late.session, "completed", { payment_status: "unpaid" }));
    expect(await late.state()).toMatchObject({ state: "processing" });
    expect(await entriesOf(late.accountId)).toEqual([]);
    await statusOf(event(late.session, "async_payment_succeeded"));
    await statusOf(event(late.session, "completed", { payment_status: "unpaid" }));
    expect(await late.state()).toMatchObject({ state: "paid" });
    const failed = await newPayment();
    await statusOf(event(failed.session, "completed", { payment_status: "unpaid" }));
    await statusOf(event(failed.session, "async_payment_failed", { payment_status: "unpaid" }));
    expect(await failed.state()).toMatchObject({ state: "failed" });
    expect(await entriesOf(failed.accountId)).toEqual([]);
  });

  test("that is not made expires, and is credited if its money arrives later", async () => {
    const { accountId, session, state } = await newPayment();
    await statusOf(event(session, "expired", { payment_status: "unpaid", payment_intent: null }));
    expect(await state()).toMatchObject({ state: "expired" });
    await statusOf(paidEvent(session));
    expect(await state()).toMatchObject({ state: "paid" });
    expect(await entriesOf(accountId)).toHaveLength(1);
  });

  test.each<[string, Parameters<typeof sessionObject>[1]]>([
    ["less than its amount", { amount_total: 4_999 }],
    ["another currency", { currency: "jpy" }],
    ["money without a reference", { payment_intent: null }],
  ])("of %s credits nothing, and waits for an operator", async (_what, change) => {
    const { accountId, session, state } = await newPayment();
    expect(await statusOf(event(session, "completed", change))).toBe(200);
    expect(await state()).toMatchObject({ state: "review" });
    expect(await entriesOf(accountId)).toEqual([]);
  });

  test("with the reference of another payment credits nothing, and waits for an operator", async () => {
    const [first, second] = [await newPayment(), await newPayment()];
    await statusOf(paidEvent(first.session));
    const repeated = event(second.session, "completed", { payment_intent: referenceOf(first.session) });
    expect(await statusOf(repeated)).toBe(200);
    expect(await second.state()).toMatchObject({ state: "review", reference: null });
    expect(await entriesOf(second.accountId)).toEqual([]);
    expect(await first.state()).toMatchObject({ state: "paid" });
  });

  test("is not credited by another checkout that claims to be its own", async () => {
    const { accountId, session, state } = await newPayment();
    await statusOf(event({ ...session, id: "cs_of_somebody_else" }, "completed"));
    expect(await state()).toMatchObject({ state: "open" });
    expect(await entriesOf(accountId)).toEqual([]);
  });

  test("outside its bounds or between two of the currency's steps is refused without a request to the provider", async () => {
    const { accountId } = await gateway.customer();
    const owner = await callerFor(gateway, { role: "owner", accountId });
    const before = stripe.sessions.length;
    for (const amount of ["4.99", "5000.01", "-5", "0"]) {
      await expect(owner.payments.create({ amount })).rejects.toThrow(/from 5 to 5000/);
    }
    await expect(owner.payments.create({ amount: "5.005" })).rejects.toThrow(/multiple of 0.01/);
    expect(stripe.sessions).toHaveLength(before);
    expect((await owner.payments.list({})).rows).toEqual([]);
  });

  test("fails if the provider refuses it, and is invisible to other accounts", async () => {
    const { accountId } = await gateway.customer();
    const owner = await callerFor(gateway, { role: "owner", accountId });
    stripe.refuse(402);
    await expect(owner.payments.create({ amount: "50" })).rejects.toThrow(/provider/);
    stripe.refuse(null);
    const [row] = (await owner.payments.list({})).rows;
    expect(row).toMatchObject({ state: "failed", amount: "50" });
    const stranger = await newPayment();
    await expect(stranger.owner.payments.get({ paymentId: row?.id ?? "" })).rejects.toThrow(
      /^payment .* does not exist$/,
    );
    expect((await stranger.owner.payments.list({})).rows.map(({ id }) => id)).toEqual([stranger.id]);
    const operator = await callerFor(gateway, { role: "operator" });
    const { rows } = await operator.allPayments.list({ accountId });
    expect(rows.map(({ id }) => id)).toEqual([row?.id]);
  });
});

describe("a message", () => {
  test("that is unsigned, signed by another, too old, from the future or changed is refused and moves nothing", async () => {
    const { accountId, session } = await newPayment();
    const paid = paidEvent(session);
    const object = { type: "checkout.session.completed", object: sessionObject(session) };
    const bad = [
      { ...paid, signature: "" },
      { ...paid, signature: "t=1,v1=00" },
      { ...paid, body: paid.body.replace(/5000/, "9000") },
      signed(object, { secret: "whsec_other" }),
      signed(object, { secondsAgo: 301 }),
      signed(object, { secondsAgo: -310 }),
    ];
    expect(await Promise.all(bad.map((message) => statusOf(message)))).toEqual(bad.map(() => 400));
    expect(await entriesOf(accountId)).toEqual([]);
  });

  test("about another program's payment or about no payment is accepted and ignored", async () => {
    const { session } = await newPayment();
    expect(await statusOf(paidEvent({ ...session, paymentId: "pay_of_another" }))).toBe(200);
    expect(await statusOf(signed({ type: "customer.created", object: { id: "cus_1" } }))).toBe(200);
  });

  test("is bounded, comes by POST, and only from a known provider", async () => {
    const { session } = await newPayment();
    const large = signed({ type: "checkout.session.completed", object: { pad: "x".repeat(300_000) } });
    expect(await statusOf(large)).toBe(413);
    expect((await fetch(`${gateway.url}/payments/stripe/webhook`)).status).toBe(405);
    const { body, signature } = paidEvent(session);
    const elsewhere = await fetch(`${gateway.url}/payments/other/webhook`, {
      method: "POST",
      headers: { "stripe-signature": signature },
      body,
    });
    expect(elsewhere.status).toBe(404);
  });
});

describe("money that the provider pays back", () => {
  test("is debited once, however often and in whatever order it is reported, up to what is not spent", async () => {
    const { accountId, session, state } = await newPayment({ amount: "50", quota: "0" });
    // Before the gateway knows that it was paid at all.
    await statusOf(refundEvent(session, 1_000));
    await statusOf(paidEvent(session));
    expect((await gateway.balance(accountId)).available).toBe(40_000_000_000n);
    await Promise.all([
      ...[2_000, 1_000, 2_000].map((cents) => statusOf(refundEvent(session, cents))),
      statusOf(refundEvent(session, 2_000), other.url),
    ]);
    expect((await gateway.balance(accountId)).available).toBe(30_000_000_000n);
    expect(await state()).toMatchObject({ refunded: "20", debited: "20", notDebited: "0" });
    const operator = await callerFor(gateway, { role: "operator" });
    await operator.accounts.adjust({ accountId, amount: "-25", reason: "stands for what was spent" });
    await statusOf(refundEvent(session, 5_000));
    expect((await gateway.balance(accountId)).available).toBe(0n);
    expect(await state()).toMatchObject({ refunded: "50", debited: "25", notDebited: "25" });
    expect(await gateway.verify()).toEqual([]);
  });

  test("is never more than was paid, whatever is reported", async () => {
    const { accountId, session, state } = await newPayment({ amount: "50", quota: "30" });
    await statusOf(paidEvent(session));
    expect(await statusOf(refundEvent(session, 9_000))).toBe(200);
    expect(await state()).toMatchObject({ refunded: "50", debited: "50" });
    expect((await gateway.balance(accountId)).available).toBe(30_000_000_000n);
  });

  test("is not debited for a dispute, whose end counts whenever it is reported", async () => {
    const { accountId, session, state } = await newPayment();
    await statusOf(paidEvent(session));
    const dispute = (type: string, status: string) =>
      statusOf(
        signed({
          type: `charge.dispute.${type}`,
          object: { id: "dp_1", object: "dispute", payment_intent: referenceOf(session), status },
        }),
      );
    await dispute("created", "needs_response");
    expect(await state()).toMatchObject({ state: "paid", dispute: "open" });
    await dispute("closed", "lost");
    await dispute("created", "needs_response");
    expect(await state()).toMatchObject({ dispute: "lost" });
    expect((await gateway.balance(accountId)).available).toBe(50_000_000_000n);
  });
});

test("without a provider no payment can be made, and no message is received", async () => {
  const plain = await sharedGateway();
  const { accountId } = await plain.customer();
  const owner = await callerFor(plain, { role: "owner", accountId });
  await expect(owner.payments.create({ amount: "50" })).rejects.toThrow(/online payments are not set up/);
  const { session } = await newPayment();
  expect(await statusOf(paidEvent(session), plain.url)).toBe(404);
  await plain.close();
});
