import { countAccounts, findAccountNames } from "@/server/access";
import { listChanges } from "@/server/audit";
import { systemClock } from "@/server/base/clock";
import { formatMoney, type Nanos, nanos } from "@/server/base/money";
import { type DaySpend, findTopSpenders } from "@/server/billing";
import { summariseCalls } from "@/server/calls";
import { isAiling } from "@/server/channels";
import type { Role } from "@/server/domain/enums";
import { may } from "@/server/domain/roles";
import { failingSince } from "@/server/notifications";
import { accountQueries, modelQueries } from "@/server/queries";
import type { Runtime } from "@/server/runtime/runtime";
import { findDays, showDays, showOpenTasks } from "./owner-overview";

const DAY_MS = 86_400_000;
const TOP = 5;
const CHANGES = 6;

/** Today as YYYY-MM-DD in a time zone. */
const today = (timeZone: string) =>
  new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(
    systemClock(),
  );

const sum = (days: DaySpend[]): Nanos => nanos(days.reduce((total, { amount }) => total + amount, 0n));

function topModels(days: DaySpend[]) {
  const totals = new Map<string, Nanos>();
  for (const { modelId, amount } of days) {
    totals.set(modelId, nanos((totals.get(modelId) ?? 0n) + amount));
  }
  return [...totals]
    .sort(([, left], [, right]) => Number(right > left) - Number(right < left))
    .slice(0, TOP)
    .map(([modelId, amount]) => ({ modelId, amount: formatMoney(amount) }));
}

async function topAccounts({ db, billing }: Runtime) {
  const spenders = await findTopSpenders(db, { period: billing.period(), limit: TOP });
  const names = await findAccountNames(
    db,
    spenders.map(({ accountId }) => accountId),
  );
  return spenders.map(({ accountId, used }) => ({
    accountId,
    name: names.get(accountId) ?? accountId,
    amount: formatMoney(used),
  }));
}

/** The month's money over all accounts. Amounts are exact decimal strings in currency units. */
export async function showBusiness(runtime: Runtime) {
  const { db, billing, config } = runtime;
  const days = await findDays(runtime);
  const day = today(config.BILLING_TIMEZONE);
  return {
    period: billing.period(),
    accounts: await countAccounts(db),
    today: formatMoney(sum(days.filter((spend) => spend.day === day))),
    month: formatMoney(sum(days)),
    days: showDays(days),
    topAccounts: await topAccounts(runtime),
    topModels: topModels(days),
  };
}

/** Calls of the last 24 hours, and open tasks. */
export async function showTraffic(runtime: Runtime) {
  const from = new Date(systemClock().getTime() - DAY_MS);
  return {
    ...(await summariseCalls(runtime.db, { from })),
    from,
    openTasks: (await showOpenTasks(runtime)).count,
  };
}

/**
 * Enabled channels that fail or rest. `state`: as this process sees it; null: normal. `failingSince`: from the attempts
 * through any replica, also those before this process started.
 */
async function ailingChannels({ db, channels }: Runtime) {
  const [states, failing] = await Promise.all([channels.states(), failingSince(db)]);
  return states.flatMap(({ channelId, name, state, fault }) => {
    const since = failing.get(channelId) ?? null;
    if (state === "disabled" || !(isAiling(state) || since)) {
      return [];
    }
    return [{ channelId, name, state: isAiling(state) ? state : null, fault, failingSince: since }];
  });
}

/**
 * Things that need attention: channels, models that cannot be sold as they are, and accounts that run out. A role that
 * may not see channels gets none.
 */
export async function showAttention(runtime: Runtime, role: Role) {
  const { models, missing } = await modelQueries.list.read(runtime, {}, "operator");
  return {
    channels: may(role, "channels.read") ? await ailingChannels(runtime) : [],
    models: models.flatMap(({ id, oddities }) => (oddities.length > 0 ? [{ id, oddities }] : [])),
    missing,
    accounts: (await accountQueries.runningOut.read(runtime, {}, "operator")).slice(0, TOP),
  };
}

/** The latest changes by people. */
export async function showLastChanges({ db }: Runtime) {
  const { rows } = await listChanges(db, {}, { limit: CHANGES });
  return rows.map(({ id, createdAt, actor, action, targetName }) => ({
    id,
    createdAt,
    actor,
    action,
    targetName,
  }));
}
