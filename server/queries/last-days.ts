import { systemClock } from "@/server/base/clock";
import { inDecimals } from "@/server/base/money";
import { spendByDay } from "@/server/billing";
import { dayOf } from "@/server/domain/days";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { periodBefore } from "@/server/domain/period";
import type { QueryContext } from "./query";

/** The days of a chart without a month, today included. */
const CHART_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * The charges of the last 30 days by day and model: of a key, of an account or of all accounts. On the first of a month
 * too. Amounts are exact decimal strings in currency units.
 */
export async function spendOfLastDays(
  { db, billing, config }: Pick<QueryContext, "db" | "billing" | "config">,
  scope: { accountId?: AccountId; keyId?: KeyId } = {},
) {
  const timeZone = config.BILLING_TIMEZONE;
  const period = billing.period();
  const first = dayOf(systemClock().getTime() - (CHART_DAYS - 1) * DAY_MS, timeZone);
  // Two months: a charge that came late counts in the month of its call.
  const periods = first.startsWith(period) ? [period] : [periodBefore(period), period];
  const months = await Promise.all(
    periods.map((each) => spendByDay(db, { ...scope, period: each, timeZone })),
  );
  return inDecimals(months.flat().filter(({ day }) => day >= first));
}
