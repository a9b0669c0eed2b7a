import { z } from "zod";
import { type Account, getAccount, listAccountPage, listUsers } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { type Balance, listPeriods, periodBounds, spendOfAccounts } from "@/server/billing";
import { Id, PAGE_ROWS, Page, Status } from "@/server/operations/schema";
import { query, type Reading } from "./query";

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

async function withMonths({ db, billing }: Reading, accounts: Account[]) {
  const period = billing.period();
  const months = await spendOfAccounts(db, { accountIds: accounts.map(({ id }) => id), period });
  return accounts.map(({ monthlyQuotaNanos, ...account }) => ({
    ...account,
    monthlyQuota: formatMoney(monthlyQuotaNanos),
    month: toMonth(months.get(account.id) ?? unopened(period, monthlyQuotaNanos)),
  }));
}

/** With the month under way; newest first. */
export const list = query({
  by: ["operator"],
  input: Page.extend({ search: z.string().max(100).optional(), status: Status.optional() }),
  read: async (reading, { cursor, ...filter }) => {
    const page = await listAccountPage(reading.db, filter, { cursor, limit: PAGE_ROWS });
    return { rows: await withMonths(reading, page.rows), nextCursor: page.nextCursor };
  },
});

/** One account: this month, the months before, newest first, and who may sign in for it. */
export const get = query({
  by: ["owner", "operator"],
  input: z.strictObject({ accountId: Id }),
  read: async (reading, { accountId }) => {
    const { db, config } = reading;
    const account = await getAccount(db, accountId);
    const [view] = await withMonths(reading, [account]);
    if (!view) {
      throw new Error("the account is gone");
    }
    const periods = await listPeriods(db, account.id);
    return {
      ...view,
      resetsAt: periodBounds(view.month.period, config.BILLING_TIMEZONE).end,
      earlier: periods.filter(({ period }) => period !== view.month.period).map(toMonth),
      users: await listUsers(db, { accountId: account.id }),
    };
  },
});
