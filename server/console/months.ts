import { formatMoney } from "@/server/base/money";
import { type Balance, getBalance, periodBounds } from "@/server/billing";
import type { Runtime } from "@/server/process/runtime";

/** From here on an owner is warned. */
const LOW_PERCENT = 80n;

export type MonthLevel = "enough" | "low" | "exhausted";

/**
 * How much of a month is left: `low` once 80 % of it are used or frozen, `exhausted` when nothing more can be frozen.
 */
export function levelOf({ quota, topups, used, frozen, available }: Balance): MonthLevel {
  if (available <= 0n) {
    return "exhausted";
  }
  return (used + frozen) * 100n >= (quota + topups) * LOW_PERCENT ? "low" : "enough";
}

/** An account's month under way, in exact decimal strings of currency units. Throws Refusal. */
export async function showMonth({ db, billing, config }: Runtime, accountId: string) {
  const balance = await getBalance(db, { accountId, period: billing.period() });
  return {
    period: balance.period,
    quota: formatMoney(balance.quota),
    topups: formatMoney(balance.topups),
    used: formatMoney(balance.used),
    frozen: formatMoney(balance.frozen),
    available: formatMoney(balance.available),
    level: levelOf(balance),
    resetsAt: periodBounds(balance.period, config.BILLING_TIMEZONE).end,
  };
}
