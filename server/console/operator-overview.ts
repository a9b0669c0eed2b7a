import { countAccounts, findAccountNames } from "@/server/access";
import { listChanges } from "@/server/audit";
import { systemClock } from "@/server/base/clock";
import { formatMoney, inDecimals, type Nanos, nanos } from "@/server/base/money";
import { type DaySpend, findOutageSales, findTopSpenders, spendByDay } from "@/server/billing";
import { summariseCalls } from "@/server/calls";
import { isAiling, listChannels, listModelChecks } from "@/server/channels";
import type { Role } from "@/server/domain/enums";
import { periodBefore } from "@/server/domain/period";
import { may } from "@/server/domain/roles";
import { failingSince } from "@/server/notifications";
import {
  accountQueries,
  channelQueries,
  findBelowCost,
  modelQueries,
  spendOfLastDays,
} from "@/server/queries";
import type { Runtime } from "@/server/runtime/runtime";
import { showOpenTasks } from "./owner-overview";

const DAY_MS = 86_400_000;
const TOP = 5;
const CHANGES = 6;

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

/**
 * The month's money over all accounts, and the charges of the last 30 days. Amounts are exact decimal strings in currency
 * units.
 */
export async function showBusiness(runtime: Runtime) {
  const { db, billing, config } = runtime;
  const period = billing.period();
  const month = await spendByDay(db, { period, timeZone: config.BILLING_TIMEZONE });
  return {
    period,
    accounts: await countAccounts(db),
    month: formatMoney(sum(month)),
    days: await spendOfLastDays(runtime),
    topAccounts: await topAccounts(runtime),
    topModels: topModels(month),
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

/** The names of customers in a warning: further ones are only counted. */
const NAMES = 3;

const counted = (names: string[]) => ({
  customers: names.slice(0, NAMES),
  more: Math.max(0, names.length - NAMES),
});

/**
 * Enabled channels that fail or rest, each with the accounts whose calls failed there in the last hour. `state`: as this
 * process sees it; null: normal. `failingSince`: from the attempts through any replica, also those before this process
 * started.
 */
async function ailingChannels(runtime: Runtime) {
  const { db, channels } = runtime;
  const [states, failing] = await Promise.all([channels.states(), failingSince(db)]);
  const ailing = states.flatMap(({ channelId, name, state, fault }) => {
    const since = failing.get(channelId) ?? null;
    if (state === "disabled" || !(isAiling(state) || since)) {
      return [];
    }
    return [{ channelId, name, state: isAiling(state) ? state : null, fault, failingSince: since }];
  });
  const movedOff = new Set(
    (await listChannels(db)).filter(({ isMovedOff }) => isMovedOff).map(({ id }) => id),
  );
  return await Promise.all(
    ailing.map(async (channel) => {
      const { channelId } = channel;
      const { accounts } = await channelQueries.health.read(runtime, { channelId, span: "hour" }, "operator");
      const names = accounts.map(({ account }) => account.name);
      return { ...channel, isMovedOff: movedOff.has(channelId), ...counted(names) };
    }),
  );
}

/** The channels that serve models of which the catalog has none: by model. */
async function channelsOf(db: Runtime["db"], modelIds: readonly string[]) {
  const channels = modelIds.length > 0 ? await listChannels(db) : [];
  return modelIds.map((id) => ({
    id,
    channels: channels
      .filter(({ models, isEnabled }) => isEnabled && Object.hasOwn(models, id))
      .map(({ name }) => name),
  }));
}

/**
 * Things that need attention: channels, models that cannot be sold as they are or are sold below cost, and accounts that
 * run out. A role that may not see channels or costs gets none of them. `isEmpty`: there is nothing yet that could be well.
 */
export async function showAttention(runtime: Runtime, role: Role) {
  const { db } = runtime;
  const { models, missing } = await modelQueries.list.read(runtime, {}, "operator");
  return {
    isEmpty: models.length === 0 && (await listChannels(db)).length === 0,
    channels: may(role, "channels.read") ? await ailingChannels(runtime) : [],
    vendorModels: may(role, "channels.read") ? await changedLists(db) : [],
    models: models.flatMap(({ id, oddities }) => {
      const faults = oddities.flatMap((oddity) => (oddity === "belowCost" ? [] : [oddity]));
      return faults.length > 0 ? [{ id, oddities: faults }] : [];
    }),
    belowCost: (may(role, "costs.read") ? await findBelowCost(db) : []).map(({ group, ...at }) => ({
      ...at,
      group: group && { id: group.id, name: group.name, ...counted(group.customers) },
    })),
    missing: await channelsOf(db, missing),
    accounts: (await accountQueries.runningOut.read(runtime, {}, "operator")).slice(0, TOP),
    outage: await showOutageSales(runtime),
  };
}

/** Channels whose vendors have added or removed models since an operator looked. */
const changedLists = async (db: Runtime["db"]) =>
  (await listModelChecks(db))
    .filter(({ newModels, goneModels }) => newModels.length + goneModels.length > 0)
    .map(({ channelId, channel, newModels, goneModels }) => ({
      ...{ channelId, channel, added: newModels.length, gone: goneModels.length },
      names: [...newModels, ...goneModels].slice(0, NAMES),
    }));

/** Accounts that outage allowances paid for in this month or the last one: they may be beyond their money. */
async function showOutageSales({ db, billing }: Runtime) {
  const period = billing.period();
  const sales = await findOutageSales(db, { periods: [period, periodBefore(period)], limit: TOP });
  return inDecimals(sales);
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
