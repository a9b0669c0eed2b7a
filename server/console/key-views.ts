import { type ApiKey, getKey, listKeyPage } from "@/server/access";
import { formatMoney } from "@/server/base/money";
import { spendByDay, spendOfKeys } from "@/server/billing";
import { PAGE_ROWS } from "@/server/operations/schema";
import type { Runtime } from "@/server/process/runtime";

type Spend = { amount: bigint; calls: number } | undefined;

/** A key on screen: money as decimal strings, `spent` in the billing month under way. */
const toView = ({ accountId: _, monthlyCap, ...key }: ApiKey, spend: Spend) => ({
  ...key,
  monthlyCap: monthlyCap === null ? null : formatMoney(monthlyCap),
  spent: formatMoney(spend?.amount ?? 0n),
  calls: spend?.calls ?? 0,
});

type Listing = Omit<Parameters<typeof listKeyPage>[1], "accountId"> & {
  accountId: string;
  cursor?: string | undefined;
};

/** A page of an account's keys. Of its rules and models a row has the numbers: a list may be long. */
export async function showKeyPage({ db, billing }: Runtime, { cursor, ...filter }: Listing) {
  const page = await listKeyPage(db.orm, filter, { cursor, limit: PAGE_ROWS });
  const spent = await spendOfKeys(db.sql, {
    keyIds: page.rows.map(({ id }) => id),
    period: billing.period(),
    accountId: filter.accountId,
  });
  const rows = page.rows.map((key) => {
    const { allowedIps, models, ...view } = toView(key, spent.get(key.id));
    return { ...view, ruleCount: allowedIps.length, modelCount: models.length };
  });
  return { rows, nextCursor: page.nextCursor };
}

type Target = { keyId: string; accountId: string };

/** One key. Throws Refusal. */
export async function showKey({ db, billing }: Runtime, { keyId, accountId }: Target) {
  const key = await getKey(db.orm, { keyId, accountId });
  const spent = await spendOfKeys(db.sql, { keyIds: [keyId], period: billing.period(), accountId });
  return toView(key, spent.get(keyId));
}

/** What a key was charged for in the month under way, by day and model. */
export async function showKeyDays(runtime: Runtime, target: Target) {
  const { db, billing, config } = runtime;
  const days = await spendByDay(db.sql, {
    ...target,
    period: billing.period(),
    timeZone: config.BILLING_TIMEZONE,
  });
  return days.map(({ amount, ...day }) => ({ ...day, amount: formatMoney(amount) }));
}
