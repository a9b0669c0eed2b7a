import { z } from "zod";
import { type Account, getAccount, listAccountPage, listUsers } from "@/server/access";
import { inDecimals, type Nanos, nanos } from "@/server/base/money";
import { type Balance, listPeriods, periodBounds, spendOfAccounts } from "@/server/billing";
import { AccountId, PAGE_ROWS, Page, Status } from "@/server/operations/schema";
import { query, type Reading } from "./query";

/** A month opens with its first call; until then it has what it will be granted. */
const unopened = (period: string, quota: Nanos): Balance => ({
  period,
  quota,
  topups: nanos(0n),
  used: nanos(0n),
  frozen: nanos(0n),
  available: quota,
});

async function withMonths({ db, billing }: Reading, accounts: Account[]) {
  const period = billing.period();
  const months = await spendOfAccounts(db, { accountIds: accounts.map(({ id }) => id), period });
  return accounts.map(({ monthlyQuotaNanos, ...account }) => ({
    ...account,
    ...inDecimals({
      quota: monthlyQuotaNanos,
      month: months.get(account.id) ?? unopened(period, monthlyQuotaNanos),
    }),
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
  input: z.strictObject({ accountId: AccountId }),
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
      earlier: inDecimals(periods.filter(({ period }) => period !== view.month.period)),
      users: await listUsers(db, { accountId: account.id }),
    };
  },
});
