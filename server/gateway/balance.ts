/** A key's balance, in the forms that clients read (spec 4.19). */

import { lookUp } from "@/server/base/deadline";
import { formatMoney, type Nanos, nanos } from "@/server/base/money";
import { jsonReply, type Reply } from "@/server/base/reply";
import { type Seen, type Standing, seenBy } from "@/server/billing";
import type { CapWindow } from "@/server/domain/cap-windows";
import type { AuthedCall } from "./pipeline/call";
import type { GatewayDeps } from "./pipeline/gateway-deps";

type Balance = {
  key: { name: string; lastFour: string; expiresAt: Date | null; requestsPerMinute: number | null };
  spent: Standing["spent"];
  allowance: Seen;
  currency: string;
};

/** A number of currency units with all its digits: a double would not hold them all. */
const units = (amount: Nanos) => JSON.rawJSON(formatMoney(amount));
const hundredths = (amount: Nanos) => units(nanos(amount * 100n));

const seconds = (moment: Date) => Math.floor(moment.getTime() / 1000);

const resets = { day: "daily", week: "weekly", month: "monthly" } as const satisfies Record<
  CapWindow,
  string
>;

/**
 * The gateway's own form, with the names that scripts for usage displays read (`isValid`, `remaining`, `total`, `used`,
 * `unit`).
 */
const usageForm = ({ key, spent, allowance, currency }: Balance) => ({
  object: "usage",
  isValid: true,
  planName: key.name,
  unit: currency,
  total: units(allowance.limit),
  used: units(allowance.used),
  remaining: units(allowance.left),
  window: allowance.window,
  resets_at: allowance.until.toISOString(),
  scope: allowance.isCapped ? "key" : "account",
  key_usage: { day: units(spent.day), week: units(spent.week), month: units(spent.month) },
  expires_at: key.expiresAt?.toISOString() ?? null,
});

/** OpenRouter's form of credits. */
const creditsForm = ({ allowance }: Balance) => ({
  data: { total_credits: units(allowance.limit), total_usage: units(allowance.used) },
});

/**
 * OpenRouter's form of a key. A key without its own cap has no limit there; the credits show what is left of its
 * account.
 */
const keyForm = ({ key, spent, allowance }: Balance) => ({
  data: {
    label: `sk-...${key.lastFour}`,
    name: key.name,
    limit: allowance.isCapped ? units(allowance.limit) : null,
    limit_remaining: allowance.isCapped ? units(allowance.left) : null,
    limit_reset: allowance.isCapped ? resets[allowance.window] : null,
    include_byok_in_limit: false,
    usage: units(allowance.isCapped ? allowance.used : spent.month),
    usage_daily: units(spent.day),
    usage_weekly: units(spent.week),
    usage_monthly: units(spent.month),
    byok_usage: 0,
    byok_usage_daily: 0,
    byok_usage_weekly: 0,
    byok_usage_monthly: 0,
    is_free_tier: false,
    is_management_key: false,
    is_provisioning_key: false,
    expires_at: key.expiresAt?.toISOString() ?? null,
    // -1: no limit, as OpenRouter writes it.
    rate_limit: { requests: key.requestsPerMinute ?? -1, interval: "1m" },
  },
});

/** The subscription of OpenAI's earlier dashboard, which one-api and new-api have too. `access_until` 0: forever. */
const subscriptionForm = ({ key, allowance }: Balance) => ({
  object: "billing_subscription",
  has_payment_method: true,
  soft_limit_usd: units(allowance.limit),
  hard_limit_usd: units(allowance.limit),
  system_hard_limit_usd: units(allowance.limit),
  access_until: key.expiresAt === null ? 0 : seconds(key.expiresAt),
});

/**
 * The spending of the same dashboard, in hundredths. It covers the window of the subscription's limit, whatever dates
 * the client asks for, because displays subtract one from the other.
 */
const spentForm = ({ allowance }: Balance) => ({ object: "list", total_usage: hundredths(allowance.used) });

const forms = {
  usage: usageForm,
  credits: creditsForm,
  key: keyForm,
  subscription: subscriptionForm,
  spent: spentForm,
} as const;

export type BalanceForm = keyof typeof forms;

async function readBalance(
  { access, billing, currency }: GatewayDeps,
  { caller }: AuthedCall,
): Promise<Balance> {
  const { accountId, keyId, account } = caller;
  const key = await access.lookAt({ accountId, keyId });
  const caps = { day: key.dailyCap, week: key.weeklyCap, month: key.monthlyCap };
  const standing = await billing.standing({ accountId, keyId, caps, dailyLimit: account.dailyLimit });
  return { key, spent: standing.spent, allowance: seenBy(standing), currency };
}

/**
 * GET of a key's own balance. It costs nothing. It shows no other key, and of the account only the amount that this key
 * may spend.
 */
export const tellBalance =
  (deps: GatewayDeps, form: BalanceForm) =>
  async (call: AuthedCall): Promise<Reply> =>
    jsonReply(200, forms[form](await lookUp(readBalance(deps, call))));
