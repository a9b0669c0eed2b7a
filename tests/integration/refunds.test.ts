/** Refunds and adjustments: what is given back of a charge, and never more, whoever tries at the same moment. */

import { expect, test } from "vitest";
import { setCarriesTopups } from "@/server/access";
import { type AccountId, newId } from "@/server/base/ids";
import { nanos } from "@/server/base/money";
import {
  adjust,
  carryTopups,
  closeMonth,
  getBalance,
  listRefunds,
  makeLedgerMonths,
  refundCharge,
  repairMonth,
  topUp,
} from "@/server/billing";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { openBillingRoom } from "@/tests/support/billing-room";
import { eventually } from "@/tests/support/eventually";
import { chargeOf } from "@/tests/support/ledger";
import { madeUp } from "@/tests/support/made-up";
import { perFile } from "@/tests/support/per-file";

const MAY = "2026-05";
const JUNE = "2026-06";

const room = perFile(() => openBillingRoom({ leaseSeconds: 60 }));
const db = () => room.ledger.db;
const sql = () => sqlOf(db());

/** Answers what it is charged as. */
async function spend(accountId: AccountId, amount: bigint): Promise<string> {
  const { billing } = room.replica();
  const held = await billing.hold({ ...room.payer(accountId), amount: nanos(amount) });
  await billing.capture(held, chargeOf(amount, "upstream", madeUp(`key_of_${accountId}`)));
  await billing.close({ patienceMs: 0 });
  return held.requestId;
}

/** An account with a charge in May. */
async function charged(amount = 40n, quota = 1_000n) {
  room.clock.now = new Date("2026-05-15T12:00:00Z");
  const accountId = await room.account(quota);
  return { accountId, chargeId: await spend(accountId, amount) };
}

type Charge = Awaited<ReturnType<typeof charged>>;

const refund = (charge: Charge, amount: bigint | null, period = MAY) =>
  refundCharge(db(), { ...charge, period, amount: amount === null ? null : nanos(amount), reason: "outage" });

const adjusted = (accountId: AccountId, amount: bigint) =>
  adjust(db(), { accountId, period: MAY, amount: nanos(amount), reason: "correction" });

const verify = (accountId: AccountId) => room.ledger.verify([accountId]);

const refused = (reason: string) => expect.objectContaining({ reason });

test("parts of a charge are given back until nothing is left, and the balance has each of them", async () => {
  const charge = await charged(40n);
  const first = await refund(charge, 15n);
  expect([first.left, first.balance.available]).toEqual([25n, 975n]);
  await expect(refund(charge, 26n)).rejects.toEqual(refused("refundTooLarge"));
  const rest = await refund(charge, null);
  expect([rest.amount, rest.left, rest.balance.available, rest.balance.used]).toEqual([25n, 0n, 1_000n, 40n]);
  await expect(refund(charge, null)).rejects.toEqual(refused("refundNothingLeft"));
  await expect(refund(charge, 1n)).rejects.toEqual(refused("refundNothingLeft"));
  const refunds = await listRefunds(db(), charge);
  expect(refunds.map(({ amount, requestId, note }) => [amount, requestId, note])).toEqual([
    [15n, charge.chargeId, "outage"],
    [25n, charge.chargeId, "outage"],
  ]);
  expect(await verify(charge.accountId)).toEqual([]);
});

test("of twenty operators who give back a charge at once, in two months, no more goes back than there was", async () => {
  const charge = await charged(40n);
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => refund(charge, 7n, at % 2 === 0 ? MAY : JUNE)),
  );
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  const refunds = await listRefunds(db(), charge);
  expect(refunds.reduce((sum, { amount }) => sum + amount, 0n)).toBe(35n);
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => refund(charge, null)));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await verify(charge.accountId)).toEqual([]);
});

test("a charge of a month past is given back in the month under way, and the month past stays as it was", async () => {
  const charge = await charged(40n);
  const before = await room.balance(charge.accountId, MAY);
  const { balance } = await refund(charge, 10n, JUNE);
  expect([balance.period, balance.quota, balance.topups, balance.available]).toEqual([
    JUNE,
    1_000n,
    10n,
    1_010n,
  ]);
  expect(await room.balance(charge.accountId, MAY)).toEqual(before);
  await expect(refund(charge, 31n, JUNE)).rejects.toEqual(refused("refundTooLarge"));
  expect(await verify(charge.accountId)).toEqual([]);
});

test("what was given back can be spent again, and no more than that and the quota", async () => {
  const charge = await charged(40n, 50n);
  await refund(charge, 30n);
  const { billing } = room.replica();
  const hold = (amount: bigint) =>
    billing.hold({ ...room.payer(charge.accountId), amount: nanos(amount), minimum: nanos(amount) });
  await expect(hold(41n)).rejects.toMatchObject({ kind: "quotaExhausted" });
  await billing.capture(await hold(40n), chargeOf(40n));
  expect((await room.balance(charge.accountId)).available).toBe(0n);
  expect(await verify(charge.accountId)).toEqual([]);
});

test("nothing is given back of what was never charged, or of another account's charge, and nothing is written", async () => {
  const charge = await charged();
  const other = await charged();
  const stranger = { accountId: other.accountId, chargeId: charge.chargeId };
  await expect(refund(stranger, 1n)).rejects.toEqual(refused("chargeUnknown"));
  await expect(refund({ ...charge, chargeId: "req_none" }, null)).rejects.toEqual(refused("chargeUnknown"));
  await expect(refund(charge, 0n)).rejects.toEqual(refused("refundNotPositive"));
  await expect(refund(charge, -1n)).rejects.toEqual(refused("refundNotPositive"));
  expect(await listRefunds(db(), charge)).toEqual([]);
  expect((await room.balance(charge.accountId)).topups).toBe(0n);
});

test("a debit takes no more than is left, and the books say what each adjustment was", async () => {
  const { accountId } = await charged(40n, 100n);
  expect((await adjusted(accountId, 5n)).available).toBe(65n);
  await expect(adjusted(accountId, -66n)).rejects.toEqual(refused("adjustmentTooLarge"));
  await expect(adjusted(accountId, 0n)).rejects.toEqual(refused("adjustmentZero"));
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => adjusted(accountId, -20n)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  const { topups, available } = await room.balance(accountId);
  expect([topups, available]).toEqual([-55n, 5n]);
  expect(await verify(accountId)).toEqual([]);
});

const named = (id: string) => ({
  topUp: (accountId: AccountId, period: string) =>
    topUp(db(), { id, accountId, period, amount: nanos(5n), reason: "invoice" }),
  debit: (accountId: AccountId, period: string) =>
    adjust(db(), { id, accountId, period, amount: nanos(-60n), reason: "correction" }),
  refund: (accountId: AccountId, period: string, chargeId: string) =>
    refundCharge(db(), { id, accountId, chargeId, period, amount: nanos(30n), reason: "outage" }),
});

test.for([
  ["topUp", 5n],
  ["debit", -60n],
  ["refund", 30n],
] as const)(
  "a %s that was named is booked once, at once or later, in whatever month",
  async ([what, amount]) => {
    const { accountId, chargeId } = await charged(40n, 100n);
    const book = named(newId("ent"))[what];
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => book(accountId, MAY, chargeId)));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const period of [MAY, JUNE]) {
      await expect(book(accountId, period, chargeId)).rejects.toEqual(refused("bookedAlready"));
    }
    const months = await Promise.all([MAY, JUNE].map((month) => room.balance(accountId, month)));
    expect(months.map(({ topups }) => topups)).toEqual([amount, 0n]);
    expect(await verify(accountId)).toEqual([]);
  },
);

test("a name is free again of what was refused, and another account's is its own", async () => {
  const [one, other] = [await charged(), await charged()];
  const id = newId("ent");
  const book = (amount: bigint, { accountId }: Charge) =>
    adjust(db(), { id, accountId, period: MAY, amount: nanos(amount), reason: "correction" });
  await expect(book(-5_000n, one)).rejects.toEqual(refused("adjustmentTooLarge"));
  expect((await book(-5n, one)).topups).toBe(-5n);
  expect((await book(-7n, other)).topups).toBe(-7n);
});

test("the verification names a charge of which more was given back than it was, and a refund of no charge", async () => {
  const charge = await charged(40n);
  await refund(charge, 30n);
  await refund(charge, 10n, JUNE);
  expect(await verify(charge.accountId)).toEqual([]);
  const { accountId } = charge;
  // By hand, the balance with it, so that nothing but the charge tells.
  await sql()`update ledger_entries set amount = amount + 1 where account_id = ${accountId} and kind = 'refund' and period = ${JUNE}`;
  await sql()`update account_months set topups = topups + 1 where account_id = ${accountId} and period = ${JUNE}`;
  const excess = { accountId, figure: "refunded", recorded: 41n, recomputed: 40n };
  const drift = await verify(accountId);
  expect(drift).toEqual([JUNE, MAY].map((period) => expect.objectContaining({ ...excess, period })));
  const repaired = await transaction(db(), (tx) => repairMonth(tx, { accountId, period: JUNE }));
  expect([repaired.mended, repaired.left]).toEqual([[], [expect.objectContaining(excess)]]);
  await sql()`update ledger_entries set charge_id = 'req_none' where account_id = ${accountId} and kind = 'refund' and period = ${JUNE}`;
  expect(await verify(accountId)).toEqual([
    expect.objectContaining({ period: JUNE, figure: "refunded", recorded: 11n, recomputed: 0n }),
  ]);
});

test("a refund that its balance was not told of is drift of the month that has it", async () => {
  const charge = await charged(40n);
  await refund(charge, 30n);
  await sql()`update account_months set topups = 0 where account_id = ${charge.accountId}`;
  const lacking = { figure: "topups", period: MAY, recorded: 0n, recomputed: 30n };
  expect(await verify(charge.accountId)).toEqual([expect.objectContaining(lacking)]);
  await transaction(db(), (tx) => repairMonth(tx, { accountId: charge.accountId, period: MAY }));
  expect(await verify(charge.accountId)).toEqual([]);
  expect((await room.balance(charge.accountId)).topups).toBe(30n);
});

test("a closed month has its refunds in its sums; of a charge in an archive nothing is given back", async () => {
  const charge = await charged(40n);
  await refund(charge, 10n);
  await makeLedgerMonths(db(), MAY);
  await sql()`delete from ledger_entries where kind = 'refund' and charge_id = 'req_none'`;
  const closing = await closeMonth(db(), { period: MAY, openPeriod: "2026-08" });
  expect(closing).toMatchObject({ period: MAY });
  expect(await verify(charge.accountId)).toEqual([]);
  await refund(charge, 5n, JUNE);
  await sql()`update ledger_closings set archived_at = now() where period = ${MAY}`;
  await expect(refund(charge, 5n, JUNE)).rejects.toEqual(refused("chargeArchived"));
  await sql()`update ledger_closings set archived_at = null where period = ${MAY}`;
  await refund(charge, null, JUNE);
});

const JULY = "2026-07";

/** In May: a quota, a top-up, and what was spent of both. */
async function inMay({ quota = 100n, added = 50n, spent = 0n, carries = true }) {
  room.clock.now = new Date("2026-05-15T12:00:00Z");
  await makeLedgerMonths(db(), MAY);
  const accountId = await room.account(quota);
  if (carries) {
    await setCarriesTopups(db(), { accountId, carriesTopups: true, period: MAY });
  }
  await topUp(db(), { accountId, period: MAY, amount: nanos(added), reason: "invoice" });
  if (spent > 0n) {
    await spend(accountId, spent);
  }
  return accountId;
}

const available = async (accountId: AccountId, period: string) =>
  (await getBalance(db(), { accountId, period })).available;

const carried = (accountId: AccountId) => sql()<{ period: string; amount: string; note: string }[]>`
  select period, amount::text, note from ledger_entries where account_id = ${accountId} and kind = 'carryover'
  order by created_at, period`;

test.each([
  { what: "the quota is spent first: all of the top-up is left", spent: 100n, left: 50n, stays: 0n },
  { what: "what was spent beyond the quota is gone", spent: 130n, left: 20n, stays: 0n },
  { what: "the rest of the quota ends with its month", spent: 60n, left: 50n, stays: 40n },
  { what: "nothing is left", spent: 150n, left: 0n, stays: 0n },
])("a month that opens has what is left of the one before: $what", async ({ spent, left, stays }) => {
  const accountId = await inMay({ spent });
  expect(await available(accountId, JUNE)).toBe(100n + left);
  expect(await available(accountId, MAY)).toBe(stays);
  expect(await carried(accountId)).toHaveLength(left > 0n ? 2 : 0);
  expect(await verify(accountId)).toEqual([]);
});

test("nothing goes on for an account that does not carry, nor of months before it did", async () => {
  const never = await inMay({ carries: false });
  expect(await available(never, JUNE)).toBe(100n);
  await setCarriesTopups(db(), { accountId: never, carriesTopups: true, period: JUNE });
  await carryTopups(db(), JULY);
  expect([await available(never, MAY), await available(never, JULY)]).toEqual([150n, 100n]);
  const noMore = await inMay({});
  await setCarriesTopups(db(), { accountId: noMore, carriesTopups: false, period: MAY });
  expect(await available(noMore, JUNE)).toBe(100n);
});

test("what goes on once goes on again, past months in which nothing was done", async () => {
  const accountId = await inMay({ spent: 110n });
  expect(await available(accountId, JULY)).toBe(140n);
  const another = await inMay({ spent: 110n });
  expect(await available(another, JUNE)).toBe(140n);
  expect(await available(another, JULY)).toBe(140n);
  expect(await carried(another)).toEqual([
    { period: MAY, amount: "-40", note: JUNE },
    { period: JUNE, amount: "40", note: MAY },
    { period: JUNE, amount: "-40", note: JULY },
    { period: JULY, amount: "40", note: JUNE },
  ]);
  expect(await room.ledger.verify([accountId, another])).toEqual([]);
});

test("what a call has frozen over the month's end goes on once it is free", async () => {
  const accountId = await inMay({ spent: 90n });
  const { billing } = room.replica();
  const held = await billing.hold({ ...room.payer(accountId), amount: nanos(60n), minimum: nanos(60n) });
  room.clock.now = new Date("2026-06-01T00:00:01Z");
  expect(await available(accountId, JUNE)).toBe(100n);
  await billing.capture(held, chargeOf(25n, "upstream", madeUp(`key_of_${accountId}`)));
  await billing.close({ patienceMs: 0 });
  await eventually(async () => {
    await carryTopups(db(), JUNE);
    return await available(accountId, JUNE);
  }).toBe(135n);
  expect(await available(accountId, MAY)).toBe(0n);
  expect(await verify(accountId)).toEqual([]);
});

test("twenty that open a month at once, beside the worker and a top-up, carry once", async () => {
  const accountId = await inMay({ spent: 105n });
  await Promise.all([
    ...Array.from({ length: 20 }, () => available(accountId, JUNE)),
    ...Array.from({ length: 5 }, () => carryTopups(db(), JUNE)),
    topUp(db(), { accountId, period: JUNE, amount: nanos(7n), reason: "at once" }),
    topUp(db(), { accountId, period: MAY, amount: nanos(3n), reason: "late" }),
  ]);
  await carryTopups(db(), JUNE);
  expect([await available(accountId, MAY), await available(accountId, JUNE)]).toEqual([0n, 155n]);
  expect(await verify(accountId)).toEqual([]);
});

test("half of a pair is drift in the books, and a month that was carried from can be closed", async () => {
  const accountId = await inMay({ spent: 105n });
  await available(accountId, JUNE);
  expect(await closeMonth(db(), { period: MAY, openPeriod: JULY })).toMatchObject({ period: MAY });
  expect(await verify(accountId)).toEqual([]);
  await sql()`delete from ledger_entries where account_id = ${accountId} and period = ${JUNE} and kind = 'carryover'`;
  const figures = (await verify(accountId)).map(({ period, figure }) => `${period} ${figure}`);
  expect(figures).toContain(`${JUNE} topups`);
  expect(figures).toContain(`${MAY} carried`);
});
