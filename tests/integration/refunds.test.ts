/** Refunds and adjustments: a charge is given back at most in full, even if several try at the same moment. */

import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import {
  adjust,
  closeMonth,
  listRefunds,
  makeLedgerMonths,
  refundCharge,
  repairMonth,
  topUp,
} from "@/server/billing";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { openBillingRoom } from "@/tests/support/billing-room";
import { chargeOf } from "@/tests/support/ledger";
import { perFile } from "@/tests/support/per-file";

const MAY = "2026-05";
const JUNE = "2026-06";

const room = perFile(() => openBillingRoom({ leaseSeconds: 60 }));
const db = () => room.ledger.db;
const sql = () => sqlOf(db());

/** An account with a charge in May. */
async function newCharge(amount = 40n, quota = 1_000n) {
  room.clock.now = new Date("2026-05-15T12:00:00Z");
  const accountId = await room.account(quota);
  return { accountId, chargeId: await room.spend(accountId, amount) };
}

type Charge = Awaited<ReturnType<typeof newCharge>>;

const refund = (charge: Charge, amount: bigint | null, period = MAY) =>
  refundCharge(db(), { ...charge, period, amount: amount === null ? null : nanos(amount), reason: "outage" });

const adjustBy = (accountId: AccountId, amount: bigint) =>
  adjust(db(), { accountId, period: MAY, amount: nanos(amount), reason: "correction" });

const verify = (accountId: AccountId) => room.ledger.verify([accountId]);

const withReason = (reason: string) => expect.objectContaining({ reason });

test("a charge is refunded in parts until nothing is left, and the balance has each part", async () => {
  const charge = await newCharge(40n);
  const first = await refund(charge, 15n);
  expect([first.left, first.balance.available]).toEqual([25n, 975n]);
  await expect(refund(charge, 26n)).rejects.toEqual(withReason("refundTooLarge"));
  const rest = await refund(charge, null);
  expect([rest.amount, rest.left, rest.balance.available, rest.balance.used]).toEqual([25n, 0n, 1_000n, 40n]);
  await expect(refund(charge, null)).rejects.toEqual(withReason("refundNothingLeft"));
  await expect(refund(charge, 1n)).rejects.toEqual(withReason("refundNothingLeft"));
  const refunds = await listRefunds(db(), charge);
  expect(refunds.map(({ amount, requestId, note }) => [amount, requestId, note])).toEqual([
    [15n, charge.chargeId, "outage"],
    [25n, charge.chargeId, "outage"],
  ]);
  expect(await verify(charge.accountId)).toEqual([]);
});

test("twenty concurrent refunds of a charge, in two months, return no more than the charge", async () => {
  const charge = await newCharge(40n);
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

test("a charge of a past month is refunded in the current month, and the past month stays as it was", async () => {
  const charge = await newCharge(40n);
  const before = await room.balance(charge.accountId, MAY);
  const { balance } = await refund(charge, 10n, JUNE);
  expect([balance.period, balance.quota, balance.topups, balance.available]).toEqual([
    JUNE,
    1_000n,
    10n,
    1_010n,
  ]);
  expect(await room.balance(charge.accountId, MAY)).toEqual(before);
  await expect(refund(charge, 31n, JUNE)).rejects.toEqual(withReason("refundTooLarge"));
  expect(await verify(charge.accountId)).toEqual([]);
});

test("refunded money can be spent again, and no more than it and the quota", async () => {
  const charge = await newCharge(40n, 50n);
  await refund(charge, 30n);
  const { billing } = room.replica();
  const hold = (amount: bigint) =>
    billing.hold({ ...room.payer(charge.accountId), amount: nanos(amount), minimum: nanos(amount) });
  await expect(hold(41n)).rejects.toMatchObject({ kind: "quotaExhausted" });
  await billing.capture(await hold(40n), chargeOf(40n));
  expect((await room.balance(charge.accountId)).available).toBe(0n);
  expect(await verify(charge.accountId)).toEqual([]);
});

test("a refund of no charge, of another account's charge or of no amount is refused and writes nothing", async () => {
  const charge = await newCharge();
  const other = await newCharge();
  const stranger = { accountId: other.accountId, chargeId: charge.chargeId };
  await expect(refund(stranger, 1n)).rejects.toEqual(withReason("chargeUnknown"));
  await expect(refund({ ...charge, chargeId: "req_none" }, null)).rejects.toEqual(
    withReason("chargeUnknown"),
  );
  await expect(refund(charge, 0n)).rejects.toEqual(withReason("refundNotPositive"));
  await expect(refund(charge, -1n)).rejects.toEqual(withReason("refundNotPositive"));
  expect(await listRefunds(db(), charge)).toEqual([]);
  expect((await room.balance(charge.accountId)).topups).toBe(0n);
});

test("a debit takes no more than is left, and the ledger agrees with each adjustment", async () => {
  const { accountId } = await newCharge(40n, 100n);
  expect((await adjustBy(accountId, 5n)).available).toBe(65n);
  await expect(adjustBy(accountId, -66n)).rejects.toEqual(withReason("adjustmentTooLarge"));
  await expect(adjustBy(accountId, 0n)).rejects.toEqual(withReason("adjustmentZero"));
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => adjustBy(accountId, -20n)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  const { topups, available } = await room.balance(accountId);
  expect([topups, available]).toEqual([-55n, 5n]);
  expect(await verify(accountId)).toEqual([]);
});

const bookings = (id: string) => ({
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
] as const)("a %s with an id is booked once, at once or later, in whatever month", async ([what, amount]) => {
  const { accountId, chargeId } = await newCharge(40n, 100n);
  const book = bookings(newId("ent"))[what];
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => book(accountId, MAY, chargeId)));
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const period of [MAY, JUNE]) {
    await expect(book(accountId, period, chargeId)).rejects.toEqual(withReason("bookedAlready"));
  }
  // The rest of a credit in May carries over into June, once June opens.
  const june = await room.balance(accountId, JUNE);
  const may = await room.balance(accountId, MAY);
  expect([may.topups, june.topups]).toEqual(amount > 0n ? [0n, amount] : [amount, 0n]);
  expect(await verify(accountId)).toEqual([]);
});

test("an id is free again after a refusal, and each account has its own", async () => {
  const [first, second] = [await newCharge(), await newCharge()];
  const id = newId("ent");
  const book = (amount: bigint, { accountId }: Charge) =>
    adjust(db(), { id, accountId, period: MAY, amount: nanos(amount), reason: "correction" });
  await expect(book(-5_000n, first)).rejects.toEqual(withReason("adjustmentTooLarge"));
  expect((await book(-5n, first)).topups).toBe(-5n);
  expect((await book(-7n, second)).topups).toBe(-7n);
});

test("the verification names a charge that was refunded beyond its amount, and a refund of no charge", async () => {
  const charge = await newCharge(40n);
  await refund(charge, 30n);
  await refund(charge, 10n, JUNE);
  expect(await verify(charge.accountId)).toEqual([]);
  const { accountId } = charge;
  // By hand, together with the balance, so that only the charge shows the fault.
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

test("a refund that its month's balance lacks is drift of that month", async () => {
  const charge = await newCharge(40n);
  await refund(charge, 30n);
  await sql()`update account_months set topups = 0 where account_id = ${charge.accountId}`;
  const lacking = { figure: "topups", period: MAY, recorded: 0n, recomputed: 30n };
  expect(await verify(charge.accountId)).toEqual([expect.objectContaining(lacking)]);
  await transaction(db(), (tx) => repairMonth(tx, { accountId: charge.accountId, period: MAY }));
  expect(await verify(charge.accountId)).toEqual([]);
  expect((await room.balance(charge.accountId)).topups).toBe(30n);
});

test("a closed month has its refunds in its sums, and a charge in an archive cannot be refunded", async () => {
  const charge = await newCharge(40n);
  await refund(charge, 10n);
  await makeLedgerMonths(db(), MAY);
  await sql()`delete from ledger_entries where kind = 'refund' and charge_id = 'req_none'`;
  const closing = await closeMonth(db(), { period: MAY, openPeriod: "2026-08" });
  expect(closing).toMatchObject({ period: MAY });
  expect(await verify(charge.accountId)).toEqual([]);
  await refund(charge, 5n, JUNE);
  await sql()`update ledger_closings set archived_at = now() where period = ${MAY}`;
  await expect(refund(charge, 5n, JUNE)).rejects.toEqual(withReason("chargeArchived"));
  await sql()`update ledger_closings set archived_at = null where period = ${MAY}`;
  await refund(charge, null, JUNE);
});
