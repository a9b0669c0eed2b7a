import { and, eq, lte, type SQL, sql } from "drizzle-orm";
import { formatMoney, type Nanos, nanos } from "@/server/base/money";
import { type Db, orRefuse, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { availableOf } from "../months/available";
import { openMonth } from "../months/months";

const { accountMonths, accounts, holds, ledgerEntries } = tables;

/**
 * A sum over the month's escrows, in nano-units. `accountId`: the account of the month, if it is known: with tables on
 * several machines, a statement has one snapshot only if it names the account at each table.
 */
const ofEscrows = (amount: SQL, accountId?: AccountId) => sql`coalesce((
  select sum(${amount}) from ${holds}
  where ${holds.accountId} = ${accountId ?? accountMonths.accountId} and ${holds.period} = ${accountMonths.period}
    and ${holds.processId} is not null
), 0)`;

/** The month's used amount, including charges to its escrows that are not folded in yet. */
export const usedBy = (accountId?: AccountId) =>
  sql`${accountMonths.used} + ${ofEscrows(sql`${holds.captured}`, accountId)}`.mapWith(nanos);
export const usedOfMonth = usedBy();

/** The amount that a month has frozen for calls under way. */
export const frozenBy = (accountId?: AccountId) =>
  sql`${accountMonths.frozen} - ${ofEscrows(sql`${holds.amount} - ${holds.inUse}`, accountId)}`.mapWith(
    nanos,
  );
export const frozenOfMonth = frozenBy();

/** The available money of a month, as `figures` counts it. */
export const availableOfMonth = sql`${accountMonths.quota} + ${accountMonths.topups} - (${usedOfMonth}) - (${frozenOfMonth})`;

/**
 * The columns of a month's balance, as if its escrows had been folded into it: charges of their calls are used, the
 * holds of their calls under way are frozen, and the rest is available, because it is recalled before any call is
 * refused for lack of it.
 */
export const figures = {
  period: accountMonths.period,
  quota: accountMonths.quota,
  topups: accountMonths.topups,
  used: usedOfMonth.as("used"),
  frozen: frozenOfMonth.as("frozen"),
};

type Figures = Pick<typeof accountMonths.$inferSelect, keyof typeof figures>;

/** An account's month, in nano-units. */
export type Balance = Figures & { available: Nanos };

type AccountMonth = { accountId: AccountId; period: string };

export const toBalance = (month: Figures): Balance => ({ ...month, available: availableOf(month) });

const isMonth = ({ accountId, period }: AccountMonth) =>
  and(eq(accountMonths.accountId, accountId), eq(accountMonths.period, period));

const selectMonth = (db: Db, month: AccountMonth) =>
  ormOf(db).select(figures).from(accountMonths).where(isMonth(month));

/** Returns the balance of a month and opens the month if necessary. Throws Refusal if the account does not exist. */
export async function getBalance(db: Db, month: AccountMonth): Promise<Balance> {
  const [row] = await selectMonth(db, month);
  if (row) {
    return toBalance(row);
  }
  await openMonth(db, month);
  const [opened] = await selectMonth(db, month);
  if (!opened) {
    throw new Refusal(`account "${month.accountId}" does not exist`, "accountUnknown");
  }
  return toBalance(opened);
}

type NewEntry = typeof ledgerEntries.$inferInsert;

/**
 * The entry's identifier, if the caller gave one. An account has one entry with an identifier: a second one is refused.
 */
export type OptionalId = { id?: string | undefined };

/** The ledger entry for a change of a balance. */
type BalanceChange = AccountMonth & { amount: Nanos; note: string } & Partial<
    Pick<NewEntry, "chargeId" | "chargePeriod" | "keyId" | "modelId">
  > &
  OptionalId;

/**
 * Refuses an entry that exists in any month, because a repeat may come in the next month. To be called before the
 * changed rows are read.
 */
export async function refuseBooked(
  db: Db,
  { accountId, id }: OptionalId & { accountId: AccountId },
): Promise<void> {
  if (id === undefined) {
    return;
  }
  const [booked] = await ormOf(db)
    .select({ period: ledgerEntries.period })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.accountId, accountId), eq(ledgerEntries.id, id)))
    .limit(1);
  if (booked) {
    throw bookedAlready();
  }
}

const bookedAlready = () =>
  new Refusal("this amount has already been booked and was not booked again", "bookedAlready");

async function addEntry(tx: Tx, { id, ...entry }: BalanceChange & { kind: NewEntry["kind"] }): Promise<void> {
  const insert = ormOf(tx)
    .insert(ledgerEntries)
    .values({ id: id ?? newId("ent"), ...entry });
  await orRefuse(insert, "duplicate", bookedAlready);
}

/** Highest top-ups of one month, in nano-units: the month's sums, with the quota, fit a column. */
const MAX_TOPUPS = 4n * 10n ** 18n;

/**
 * Adds money to one month and returns its balance. `topups` is the sum of all such additions. Joins the caller's
 * transaction, if `db` is one. Throws Refusal.
 */
export async function credit(
  db: Db,
  change: BalanceChange & { kind: "topup" | "refund" | "adjustment" },
): Promise<Balance> {
  return await transaction(db, async (tx) => {
    await getBalance(tx, change);
    const added = await ormOf(tx)
      .update(accountMonths)
      .set({ topups: sql`${accountMonths.topups} + ${change.amount}` })
      .where(and(isMonth(change), lte(accountMonths.topups, nanos(MAX_TOPUPS - change.amount))))
      .returning({ period: accountMonths.period });
    if (added.length === 0) {
      throw new Refusal("this exceeds the maximum for one month", "topUpTooLarge");
    }
    await addEntry(tx, change);
    return await getBalance(tx, change);
  });
}

/** Throws Refusal, as `credit` does. */
export async function topUp(
  db: Db,
  { reason, ...change }: AccountMonth & OptionalId & { amount: Nanos; reason: string },
): Promise<Balance> {
  if (change.amount <= 0n) {
    throw new Refusal("a top-up must be more than zero", "topUpNotPositive");
  }
  await refuseBooked(db, change);
  return await credit(db, { ...change, kind: "topup", note: reason });
}

/** Locks the month until the transaction ends and returns its available amount. */
async function lockLeft(tx: Tx, change: AccountMonth): Promise<Nanos> {
  await getBalance(tx, change);
  const [month] = await ormOf(tx).select().from(accountMonths).where(isMonth(change)).for("update");
  return month ? toBalance(month).available : nanos(0n);
}

/**
 * Debits the amount, or what is available if that is less, and returns the debited amount. `adjust` defines what is
 * available.
 */
export async function debit(
  tx: Tx,
  { amount, reason, ...month }: AccountMonth & { amount: Nanos; reason: string },
): Promise<Nanos> {
  const left = await lockLeft(tx, month);
  const debitAmount = left < amount ? left : amount;
  if (debitAmount <= 0n) {
    return nanos(0n);
  }
  await credit(tx, { ...month, kind: "adjustment", amount: nanos(-debitAmount), note: reason });
  return debitAmount;
}

/**
 * Credits one month, or debits it if the amount is negative, without reference to a charge. A debit cannot exceed what
 * is neither used nor frozen (law 1). Money that processes have set aside counts as frozen, so call `recallEscrows`
 * first. Throws Refusal.
 */
export async function adjust(
  db: Db,
  { reason, ...change }: AccountMonth & OptionalId & { amount: Nanos; reason: string },
): Promise<Balance> {
  if (change.amount === 0n) {
    throw new Refusal("an adjustment cannot be zero", "adjustmentZero");
  }
  await refuseBooked(db, change);
  return await transaction(db, async (tx) => {
    const left = await lockLeft(tx, change);
    if (change.amount < 0n && left + change.amount < 0n) {
      throw new Refusal(`a debit cannot exceed what is left: ${formatMoney(left)}`, "adjustmentTooLarge", {
        left: formatMoney(left),
      });
    }
    return await credit(tx, { ...change, kind: "adjustment", note: reason });
  });
}

/**
 * Sets the quota of every month from this one on. This month's quota cannot fall below what is used and frozen already
 * (law 1): it stops there, and nothing more can be spent. Money that processes have set aside counts as frozen, so call
 * `recallEscrows` first. Joins the caller's transaction, if `db` is one. Throws Refusal.
 */
export async function setMonthlyQuota(
  db: Db,
  change: AccountMonth & { quota: Nanos; reason?: string },
): Promise<Balance> {
  if (change.quota < 0n) {
    throw new Refusal("a quota cannot be negative", "quotaNegative");
  }
  return await transaction(db, async (tx) => {
    await getBalance(tx, change);
    const [month] = await ormOf(tx).select().from(accountMonths).where(isMonth(change)).for("update");
    if (!month) {
      throw new Error("the month is gone");
    }
    // If upstreams drove calls above their holds, the spent amount may exceed the present quota; it must not raise the
    // quota.
    const spent = nanos(month.used + month.frozen - month.topups);
    const floor = spent < month.quota ? spent : month.quota;
    const quota = change.quota < floor ? floor : change.quota;
    await ormOf(tx)
      .update(accounts)
      .set({ monthlyQuota: change.quota })
      .where(eq(accounts.id, change.accountId));
    await ormOf(tx).update(accountMonths).set({ quota }).where(isMonth(change));
    const { accountId, period, reason: note = "quota set" } = change;
    await addEntry(tx, { accountId, period, kind: "adjust", amount: nanos(quota - month.quota), note });
    return await getBalance(tx, change);
  });
}

/** Whether calls or tasks of an account have money frozen, in any month. */
export async function hasFrozen(db: Db, accountId: AccountId): Promise<boolean> {
  const [held] = await ormOf(db)
    .select({ one: sql`1` })
    .from(holds)
    .where(
      and(
        eq(holds.accountId, accountId),
        // A recalled escrow counts only if its calls under way still hold some of it.
        sql`(${holds.processId} is null or ${holds.inUse} > ${holds.captured})`,
      ),
    )
    .limit(1);
  return held !== undefined;
}
