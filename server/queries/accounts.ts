import { z } from "zod";
import { type Account, type AccountFilter, getAccount, listAccountPage, listUsers } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { inDecimals, type Nanos, nanos } from "@/server/base/money";
import {
  type Balance,
  findRunningOut,
  listPeriods,
  refundsByMonth,
  refundsOfAccounts,
  spendOfAccounts,
} from "@/server/billing";
import { accountSorts } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { periodBounds } from "@/server/domain/period";
import { AccountId as AccountIdInput, Id, PAGE_ROWS, Page, Status } from "@/server/operations/schema";
import { dailyUseOfAccounts } from "./cap-use";
import { type QueryContext, query } from "./query";

/** A month that has not opened yet, as it will be: the first call opens it. */
const unopened = (period: string, quota: Nanos): Balance => ({
  period,
  quota,
  topups: nanos(0n),
  used: nanos(0n),
  frozen: nanos(0n),
  available: quota,
});

/** The most accounts that are listed, the soonest first. */
const RUNNING_OUT = 100;

const findRunways = ({ db, config }: QueryContext, accountIds?: AccountId[]) =>
  findRunningOut(db, {
    ...{ now: systemClock(), timeZone: config.BILLING_TIMEZONE, limit: RUNNING_OUT },
    ...(accountIds && { accountIds }),
  });

/** The month's top-ups, and the refunds that `month` counts among them. */
const apartOf = (month: Balance, refunds = nanos(0n)) => ({ topups: nanos(month.topups - refunds), refunds });

async function withMonths(reading: QueryContext, accounts: Account[]) {
  const period = reading.billing.period();
  const accountIds = accounts.map(({ id }) => id);
  const months = await spendOfAccounts(reading.db, { accountIds, period });
  const refunded = await refundsOfAccounts(reading.db, { accountIds, period });
  const runways = await findRunways(reading, accountIds);
  const dailyUse = await dailyUseOfAccounts(reading, accounts);
  return accounts.map(
    ({ monthlyQuotaNanos, dailyLimit, outageAllowance, carriesTopupsSince, ...account }) => {
      const month = months.get(account.id) ?? unopened(period, monthlyQuotaNanos);
      return {
        ...account,
        carriesTopups: carriesTopupsSince !== null,
        ...inDecimals({
          quota: monthlyQuotaNanos,
          dailyLimit,
          outageAllowance,
          dailyUse: dailyUse.get(account.id) ?? null,
          month,
          apart: apartOf(month, refunded.get(account.id)),
        }),
        lastsUntil: runways.find(({ accountId }) => accountId === account.id)?.lastsUntil ?? null,
      };
    },
  );
}

/**
 * Lists accounts that run out of money before the month ends, the soonest first; then the others, in the usual order.
 */
async function listBySoonest(reading: QueryContext, filter: AccountFilter, cursor?: string) {
  const soonest = (await findRunways(reading)).map(({ accountId }) => accountId);
  const others = await listAccountPage(
    reading.db,
    { ...filter, except: soonest },
    { cursor, limit: PAGE_ROWS },
  );
  if (cursor !== undefined) {
    return others;
  }
  const soon = await listAccountPage(reading.db, { ...filter, among: soonest }, { limit: RUNNING_OUT });
  const placeOf = ({ id }: Account) => soonest.indexOf(id);
  const first = soon.rows.toSorted((a, b) => placeOf(a) - placeOf(b));
  return { ...others, rows: [...first, ...others.rows] };
}

/** Accounts with their current month. */
export const list = query({
  needs: "staff.read",
  input: Page.extend({
    search: z.string().max(100).optional(),
    status: Status.optional(),
    priceGroupId: Id.optional().describe("Only accounts in this price group"),
    sort: z.enum(accountSorts).default("-created"),
  }),
  read: async (reading, { cursor, sort, ...filter }) => {
    const page =
      sort === "lastsUntil"
        ? await listBySoonest(reading, filter, cursor)
        : await listAccountPage(reading.db, filter, { cursor, sort, limit: PAGE_ROWS });
    return { rows: await withMonths(reading, page.rows), nextCursor: page.nextCursor };
  },
});

/** Active accounts that run out of money before the month ends if they spend as in the last week; the soonest first. */
export const runningOut = query({
  mayLag: true,
  needs: "staff.read",
  input: z.strictObject({}),
  read: async (reading) => inDecimals(await findRunways(reading)),
});

/** One account: the current month, and earlier months, newest first. */
export const show = query({
  needs: "staff.read",
  input: z.strictObject({ accountId: AccountIdInput }),
  read: async (reading, { accountId }) => {
    const { db, config } = reading;
    const account = await getAccount(db, accountId);
    const [view] = await withMonths(reading, [account]);
    if (!view) {
      throw new Error("the account is gone");
    }
    const periods = await listPeriods(db, account.id);
    const refunded = await refundsByMonth(db, account.id);
    const { period } = view.month;
    return {
      ...view,
      resetsAt: periodBounds(period, config.BILLING_TIMEZONE).end,
      earlier: inDecimals(
        periods
          .filter((month) => month.period !== period)
          .map((month) => ({ ...month, apart: apartOf(month, refunded.get(month.period)) })),
      ),
    };
  },
});

/** As `show`, with the account's users. */
export const get = query({
  needs: "people.read",
  input: show.input,
  read: async (reading, input, side) => ({
    ...(await show.read(reading, input, side)),
    users: await listUsers(reading.db, input),
  }),
});
