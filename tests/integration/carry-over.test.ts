/** Unspent top-ups of an account carry over into its next month, once. */

import { expect, test } from "vitest";
import { setCarriesTopups } from "@/server/access";
import { nanos } from "@/server/base/money";
import { carryTopups, closeMonth, getBalance, makeLedgerMonths, topUp } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { openBillingRoom } from "@/tests/support/billing-room";
import { commandsOn } from "@/tests/support/command";
import { eventually } from "@/tests/support/eventually";
import { chargeOf } from "@/tests/support/ledger";
import { perFile } from "@/tests/support/per-file";

const MAY = "2026-05";
const JUNE = "2026-06";
const JULY = "2026-07";

const room = perFile(() => openBillingRoom({ leaseSeconds: 60 }));
const db = () => room.ledger.db;
const sql = () => sqlOf(db());
const { run } = commandsOn(() => room.databaseUrl);

const verify = (accountId: AccountId) => room.ledger.verify([accountId]);

/** In May: a quota, a top-up, and the spending of both. */
async function inMay({ quota = 100n, added = 50n, spent = 0n, carries = true }) {
  room.clock.now = new Date("2026-05-15T12:00:00Z");
  await makeLedgerMonths(db(), MAY);
  const accountId = await room.account(quota);
  if (!carries) {
    await setCarriesTopups(db(), { accountId, carriesTopups: false, period: MAY });
  }
  await topUp(db(), { accountId, period: MAY, amount: nanos(added), reason: "invoice" });
  if (spent > 0n) {
    await room.spend(accountId, spent);
  }
  return accountId;
}

const available = async (accountId: AccountId, period: string) =>
  (await getBalance(db(), { accountId, period })).available;

const carried = (accountId: AccountId) => sql()<{ period: string; amount: string; note: string }[]>`
  select period, amount::text, note from ledger_entries where account_id = ${accountId} and kind = 'carryover'
  order by created_at, period`;

test.each([
  { what: "the quota is spent first, so all of the top-up is left", spent: 100n, left: 50n, stays: 0n },
  { what: "spending beyond the quota reduces the top-up", spent: 130n, left: 20n, stays: 0n },
  { what: "the unspent quota expires with its month", spent: 60n, left: 50n, stays: 40n },
  { what: "nothing is left", spent: 150n, left: 0n, stays: 0n },
])("a new month gets the unspent top-ups of the month before: $what", async ({ spent, left, stays }) => {
  const accountId = await inMay({ spent });
  expect(await available(accountId, JUNE)).toBe(100n + left);
  expect(await available(accountId, MAY)).toBe(stays);
  expect(await carried(accountId)).toHaveLength(left > 0n ? 2 : 0);
  expect(await verify(accountId)).toEqual([]);
});

test("nothing carries over for an account whose carry-over an operator turned off, nor from months before it was turned on", async () => {
  const never = await inMay({ carries: false });
  expect(await available(never, JUNE)).toBe(100n);
  await setCarriesTopups(db(), { accountId: never, carriesTopups: true, period: JUNE });
  await carryTopups(db(), JULY);
  expect([await available(never, MAY), await available(never, JULY)]).toEqual([150n, 100n]);
  const noMore = await inMay({});
  await setCarriesTopups(db(), { accountId: noMore, carriesTopups: false, period: MAY });
  expect(await available(noMore, JUNE)).toBe(100n);
});

test("carried top-ups carry over again, also past months without calls", async () => {
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

test("money that a call holds over the month's end carries over once the call returns it", async () => {
  const accountId = await inMay({ spent: 90n });
  const { billing } = room.replica();
  const held = await billing.hold({ ...room.payer(accountId), amount: nanos(60n), minimum: nanos(60n) });
  room.clock.now = new Date("2026-06-01T00:00:01Z");
  expect(await available(accountId, JUNE)).toBe(100n);
  await billing.capture(held, chargeOf(25n));
  await billing.close({ patienceMs: 0 });
  await eventually(async () => {
    await carryTopups(db(), JUNE);
    return await available(accountId, JUNE);
  }).toBe(135n);
  expect(await available(accountId, MAY)).toBe(0n);
  expect(await verify(accountId)).toEqual([]);
});

test("twenty concurrent openings of a month, with the worker and two top-ups, carry over once", async () => {
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

test("half of a carry-over pair is reported as drift, and a month that was carried from can be closed", async () => {
  const accountId = await inMay({ spent: 105n });
  await available(accountId, JUNE);
  expect(await closeMonth(db(), { period: MAY, openPeriod: JULY })).toMatchObject({ period: MAY });
  expect(await verify(accountId)).toEqual([]);
  await sql()`delete from ledger_entries where account_id = ${accountId} and period = ${JUNE} and kind = 'carryover'`;
  const figures = (await verify(accountId)).map(({ period, figure }) => `${period} ${figure}`);
  expect(figures).toContain(`${JUNE} topups`);
  expect(figures).toContain(`${MAY} carried`);
  // A repair cannot find the other half.
  const { code, out } = await run("ledger", "repair", "--account", accountId, "--entries", "--yes", "--json");
  expect({ code, left: JSON.parse(out) }).toMatchObject({ code: 1, left: [{ figure: "carried" }] });
});
