import { listAccounts } from "@/server/access";
import { currentPeriod, getBalance } from "@/server/billing";
import { systemClock } from "@/server/clock";
import { formatMoney } from "@/server/money";
import type { Runtime } from "@/server/runtime";

/** An account's month; amounts are exact decimal strings in `currency`. */
export type Month = {
  period: string;
  currency: string;
  quota: string;
  topups: string;
  used: string;
  frozen: string;
  available: string;
};

export async function showMonth(runtime: Runtime, accountId: string): Promise<Month> {
  const period = currentPeriod(runtime.config.BILLING_TIMEZONE, systemClock());
  const balance = await getBalance(runtime.db.sql, { accountId, period });
  return {
    period,
    currency: runtime.config.CURRENCY,
    quota: formatMoney(balance.quota),
    topups: formatMoney(balance.topups),
    used: formatMoney(balance.used),
    frozen: formatMoney(balance.frozen),
    available: formatMoney(balance.available),
  };
}

export type AccountMonth = Month & { id: string; name: string; status: "active" | "disabled" };

/** Every account with its month. */
export async function showAccountMonths(runtime: Runtime): Promise<AccountMonth[]> {
  const rows: AccountMonth[] = [];
  // One after the other: the API's captures wait for the same four connections.
  for (const { id, name, status } of await listAccounts(runtime.db.orm)) {
    rows.push({ id, name, status, ...(await showMonth(runtime, id)) });
  }
  return rows;
}
