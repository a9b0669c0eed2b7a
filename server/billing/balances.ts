import type { Sql, TransactionSql } from "postgres";
import { Refusal } from "@/server/refusal";
import { openMonth } from "./holds";

/** An account's month, in nano-units; `available` = quota + topups - used - frozen. */
export type Balance = {
  period: string;
  quota: bigint;
  topups: bigint;
  used: bigint;
  frozen: bigint;
  available: bigint;
};

type Month = { accountId: string; period: string };
type Figures = { quota: string; topups: string; used: string; frozen: string };

const toBalance = (period: string, row: Figures): Balance => {
  const [quota, topups, used, frozen] = [row.quota, row.topups, row.used, row.frozen].map(BigInt) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  return { period, quota, topups, used, frozen, available: quota + topups - used - frozen };
};

/** The balance of a month, which is opened if need be. Throws when the account does not exist. */
export async function getBalance(sql: Sql, month: Month): Promise<Balance> {
  const find = () => sql<Figures[]>`
    select quota::text, topups::text, used::text, frozen::text from account_months
    where account_id = ${month.accountId} and period = ${month.period}`;
  let [row] = await find();
  if (!row) {
    await openMonth(sql, month);
    [row] = await find();
  }
  if (!row) {
    throw new Refusal(`there is no account "${month.accountId}"`);
  }
  return toBalance(month.period, row);
}

async function addEntry(
  transaction: TransactionSql,
  entry: Month & { kind: "topup" | "adjust"; amount: bigint; note: string },
): Promise<void> {
  await transaction`
    insert into ledger_entries (account_id, period, kind, amount, note)
    values (${entry.accountId}, ${entry.period}, ${entry.kind}, ${entry.amount.toString()}, ${entry.note})`;
}

/** Adds money to one month. */
export async function topUp(sql: Sql, change: Month & { amount: bigint; reason: string }): Promise<Balance> {
  if (change.amount <= 0n) {
    throw new Refusal("a top-up must be more than zero");
  }
  await getBalance(sql, change);
  await sql.begin(async (transaction) => {
    await transaction`
      update account_months set topups = topups + ${change.amount.toString()}
      where account_id = ${change.accountId} and period = ${change.period}`;
    await addEntry(transaction, { ...change, kind: "topup", note: change.reason });
  });
  return await getBalance(sql, change);
}

/**
 * Sets what every month grants from now on, this one included. This month cannot fall below what is used and frozen
 * already (law 1): it then stops there, and nothing more can be spent.
 */
export async function setMonthlyQuota(sql: Sql, change: Month & { quota: bigint }): Promise<Balance> {
  if (change.quota < 0n) {
    throw new Refusal("a quota cannot be negative");
  }
  await getBalance(sql, change);
  await sql.begin(async (transaction) => {
    const [row] = await transaction<Figures[]>`
      select quota::text, topups::text, used::text, frozen::text from account_months
      where account_id = ${change.accountId} and period = ${change.period} for update`;
    if (!row) {
      throw new Error("the month is gone");
    }
    const balance = toBalance(change.period, row);
    // Where upstreams drove calls above their holds, the floor may be above the quota of now: it does not lift it.
    const spent = balance.used + balance.frozen - balance.topups;
    const floor = spent < balance.quota ? spent : balance.quota;
    const quota = change.quota < floor ? floor : change.quota;
    await transaction`update accounts set monthly_quota = ${change.quota.toString()} where id = ${change.accountId}`;
    await transaction`
      update account_months set quota = ${quota.toString()}
      where account_id = ${change.accountId} and period = ${change.period}`;
    await addEntry(transaction, {
      ...change,
      kind: "adjust",
      amount: quota - balance.quota,
      note: "quota set",
    });
  });
  return await getBalance(sql, change);
}
