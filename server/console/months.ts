import { systemClock } from "@/server/base/clock";
import { inDecimals, nanos } from "@/server/base/money";
import { type Balance, findRunningOut, getBalance, refundsOfAccounts } from "@/server/billing";
import type { AccountId } from "@/server/domain/ids";
import { periodBounds } from "@/server/domain/period";
import type { Runtime } from "@/server/runtime/runtime";

/** From this share on, an owner is warned. */
const LOW_PERCENT = 80n;

export type MonthLevel = "enough" | "low" | "exhausted";

/**
 * How much of a month is left: `low` once 80 % of it is used or frozen, `exhausted` when nothing more can be frozen.
 */
export function levelOf({ quota, topups, used, frozen, available }: Balance): MonthLevel {
  if (available <= 0n) {
    return "exhausted";
  }
  return (used + frozen) * 100n >= (quota + topups) * LOW_PERCENT ? "low" : "enough";
}

/**
 * An account's current month, in exact decimal strings of currency units, with refunds apart from the top-ups. Throws
 * Refusal.
 */
export async function showMonth({ db, billing, config }: Runtime, accountId: AccountId) {
  const month = { accountId, period: billing.period() };
  const balance = await getBalance(db, month);
  const refunded = await refundsOfAccounts(db, { accountIds: [accountId], period: month.period });
  const refunds = refunded.get(accountId) ?? nanos(0n);
  const timeZone = config.BILLING_TIMEZONE;
  const [runway] = await findRunningOut(db, {
    ...{ now: systemClock(), timeZone, accountIds: [accountId], limit: 1 },
  });
  return {
    ...inDecimals({ ...balance, topups: nanos(balance.topups - refunds), refunds }),
    level: levelOf(balance),
    resetsAt: periodBounds(balance.period, timeZone).end,
    /** When it will be spent at the recent pace; null: not before the month ends. */
    lastsUntil: runway?.lastsUntil ?? null,
  };
}
