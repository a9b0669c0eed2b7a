import { sql } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import { Refusal } from "@/server/base/refusal";
import { type Db, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { openMonth } from "./months";

/** An account's month, in nano-units; `available` = quota + topups - used - frozen. */
export type Balance = {
  period: string;
  quota: Nanos;
  topups: Nanos;
  used: Nanos;
  frozen: Nanos;
  available: Nanos;
};

type Month = { accountId: AccountId; period: string };
type Figures = { quota: string; topups: string; used: string; frozen: string };

/** A row of `account_months` as it is read: nano-units as text. */
export const toBalance = (period: string, row: Figures): Balance => {
  const [quota, topups] = [nanos(row.quota), nanos(row.topups)];
  const [used, frozen] = [nanos(row.used), nanos(row.frozen)];
  return { period, quota, topups, used, frozen, available: nanos(quota + topups - used - frozen) };
};

async function findBalance(db: Db, month: Month, lock = sql``): Promise<Balance | null> {
  const [row] = await ormOf(db).execute<Figures>(sql`
    select quota::text, topups::text, used::text, frozen::text from account_months
    where account_id = ${month.accountId} and period = ${month.period} ${lock}`);
  return row ? toBalance(month.period, row) : null;
}

/** The balance of a month, which is opened if need be. Throws Refusal when the account does not exist. */
export async function getBalance(db: Db, month: Month): Promise<Balance> {
  const known = await findBalance(db, month);
  if (known) {
    return known;
  }
  await openMonth(db, month);
  const opened = await findBalance(db, month);
  if (!opened) {
    throw new Refusal(`there is no account "${month.accountId}"`, "accountUnknown");
  }
  return opened;
}

async function addEntry(
  db: Db,
  entry: Month & { kind: "topup" | "adjust"; amount: Nanos; note: string },
): Promise<void> {
  await ormOf(db).execute(sql`
    insert into ledger_entries (account_id, period, kind, amount, note)
    values (${entry.accountId}, ${entry.period}, ${entry.kind}, ${entry.amount.toString()}, ${entry.note})`);
}

/** Of one month, in nano-units: its sums fit a column, quota and all. */
const MAX_TOPUPS = 4n * 10n ** 18n;

/** Adds money to one month; its balance then. Takes part in the caller's transaction, if it is one. Throws Refusal. */
export async function topUp(db: Db, change: Month & { amount: Nanos; reason: string }): Promise<Balance> {
  if (change.amount <= 0n) {
    throw new Refusal("a top-up must be more than zero", "topUpNotPositive");
  }
  return await transaction(db, async (tx) => {
    await getBalance(tx, change);
    const toppedUp = await ormOf(tx).execute(sql`
      update account_months set topups = topups + ${change.amount.toString()}
      where account_id = ${change.accountId} and period = ${change.period}
        and topups <= ${(MAX_TOPUPS - change.amount).toString()}
      returning period`);
    if (toppedUp.length === 0) {
      throw new Refusal("that is more than one month can hold", "topUpTooLarge");
    }
    await addEntry(tx, { ...change, kind: "topup", note: change.reason });
    return await getBalance(tx, change);
  });
}

/**
 * Sets what every month grants from now on, this one included. This month cannot fall below what is used and frozen
 * already (law 1): it then stops there, and nothing more can be spent. Takes part in the caller's transaction, if it
 * is one. Throws Refusal.
 */
export async function setMonthlyQuota(
  db: Db,
  change: Month & { quota: Nanos; reason?: string },
): Promise<Balance> {
  if (change.quota < 0n) {
    throw new Refusal("a quota cannot be negative", "quotaNegative");
  }
  return await transaction(db, async (tx) => {
    await getBalance(tx, change);
    const balance = await findBalance(tx, change, sql`for update`);
    if (!balance) {
      throw new Error("the month is gone");
    }
    // Where upstreams drove calls above their holds, the floor may be above the quota of now: it does not lift it.
    const spent = balance.used + balance.frozen - balance.topups;
    const floor = spent < balance.quota ? spent : balance.quota;
    const quota = change.quota < floor ? floor : change.quota;
    await ormOf(tx).execute(sql`
      update accounts set monthly_quota = ${change.quota.toString()} where id = ${change.accountId}`);
    await ormOf(tx).execute(sql`
      update account_months set quota = ${quota.toString()}
      where account_id = ${change.accountId} and period = ${change.period}`);
    await addEntry(tx, {
      ...change,
      kind: "adjust",
      amount: nanos(quota - balance.quota),
      note: change.reason ?? "quota set",
    });
    return await getBalance(tx, change);
  });
}
