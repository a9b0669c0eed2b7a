import { type Account, getAccount, listAccountPage, listUsers } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { type Balance, listPeriods, periodBounds, spendOfAccounts } from "@/server/billing";
import { PAGE_ROWS } from "@/server/operations/schema";
import type { Runtime } from "@/server/process/runtime";

/** A month in exact decimal strings of currency units. */
const toMonth = (balance: Balance) => ({
  period: balance.period,
  quota: formatMoney(balance.quota),
  topups: formatMoney(balance.topups),
  used: formatMoney(balance.used),
  frozen: formatMoney(balance.frozen),
  available: formatMoney(balance.available),
});

/** A month opens with its first call; until then it has what it will be granted. */
const unopened = (period: string, quota: bigint): Balance => ({
  period,
  quota,
  topups: 0n,
  used: 0n,
  frozen: 0n,
  available: quota,
});

async function withMonths({ db, billing }: Runtime, accounts: Account[]) {
  const period = billing.period();
  const months = await spendOfAccounts(db.sql, { accountIds: accounts.map(({ id }) => id), period });
  return accounts.map(({ monthlyQuotaNanos, ...account }) => ({
    ...account,
    monthlyQuota: formatMoney(monthlyQuotaNanos),
    month: toMonth(months.get(account.id) ?? unopened(period, monthlyQuotaNanos)),
  }));
}

type Listing = Parameters<typeof listAccountPage>[1] & { cursor?: string | undefined };

/** A page of accounts with the month under way. */
export async function showAccountPage(runtime: Runtime, { cursor, ...filter }: Listing) {
  const page = await listAccountPage(runtime.db.orm, filter, { cursor, limit: PAGE_ROWS });
  return { rows: await withMonths(runtime, page.rows), nextCursor: page.nextCursor };
}

/** One account: this month, the months before, newest first, and who may sign in for it. Throws Refusal. */
export async function showAccount(runtime: Runtime, accountId: string) {
  const { db, config } = runtime;
  const account = await getAccount(db.orm, accountId);
  const [view] = await withMonths(runtime, [account]);
  if (!view) {
    throw new Error("the account is gone");
  }
  const periods = await listPeriods(db.sql, account.id);
  return {
    ...view,
    resetsAt: periodBounds(view.month.period, config.BILLING_TIMEZONE).end,
    earlier: periods.filter(({ period }) => period !== view.month.period).map(toMonth),
    users: await listUsers(db.orm, { accountId: account.id }),
  };
}
