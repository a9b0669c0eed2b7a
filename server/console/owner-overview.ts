import { listKeyPage } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { inDecimals } from "@/server/base/money";
import { findCharges, findFirstCharge, spendByDay } from "@/server/billing";
import { chargeIdOf, listCalls } from "@/server/calls";
import { findServedModels } from "@/server/channels";
import { dayOf } from "@/server/domain/days";
import type { AccountId } from "@/server/domain/ids";
import { periodBefore } from "@/server/domain/period";
import type { Runtime } from "@/server/runtime/runtime";
import { listOpenTasks } from "@/server/videos";

const FEW = 5;

/** The days of an overview's chart, today included. */
const CHART_DAYS = 30;
const DAY_MS = 86_400_000;

/** The charges of the last 30 days by day and model, of one account or of all. On the first of a month too. */
export async function findDays({ db, billing, config }: Runtime, accountId?: AccountId) {
  const timeZone = config.BILLING_TIMEZONE;
  const period = billing.period();
  const first = dayOf(systemClock().getTime() - (CHART_DAYS - 1) * DAY_MS, timeZone);
  // Two months: a charge that came late counts in the month of its call.
  const periods = first.startsWith(period) ? [period] : [periodBefore(period), period];
  const months = await Promise.all(
    periods.map((each) => spendByDay(db, { accountId, period: each, timeZone })),
  );
  return months.flat().filter(({ day }) => day >= first);
}

/** Amounts are exact decimal strings in currency units. */
export const showDays = (days: Awaited<ReturnType<typeof findDays>>) => inDecimals(days);

export const showOpenTasks = async ({ db }: Runtime, accountId?: AccountId) =>
  await listOpenTasks(db, { accountId, limit: FEW });

/** The latest failed calls. */
export async function showFailures({ db }: Runtime, accountId: AccountId) {
  const { rows } = await listCalls(db, { accountId, status: "failed" }, { limit: FEW });
  return rows.map(({ requestId, endpoint, modelId, status, error, startedAt }) => ({
    requestId,
    endpoint,
    modelId,
    status,
    error,
    startedAt,
  }));
}

/** The first chat model on sale that a channel serves; null: none. */
async function findExampleModel({ db, catalog }: Runtime): Promise<string | null> {
  const served = await findServedModels(db);
  return (await catalog.list()).find(({ id, kind }) => kind === "chat" && served.has(id))?.id ?? null;
}

/** For so long after its first charge an account's overview shows the call that was charged. */
const FIRST_CALL_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

/** The account's first charged call since a moment. null: the log does not have it yet, or no longer. */
async function findFirstCall({ db }: Runtime, accountId: AccountId, since: Date): Promise<string | null> {
  const from = new Date(since.getTime() - HOUR_MS);
  const { rows } = await listCalls(db, { accountId, from }, { limit: FEW, isOldestFirst: true });
  const charges = await findCharges(
    db,
    rows.map((call) => ({ id: chargeIdOf(call), accountId })),
  );
  return rows.find((call) => charges.get(chargeIdOf(call))?.kind === "capture")?.requestId ?? null;
}

/**
 * An account's progress towards its first charged call, and that call. `isOver`: it was charged longer ago than a day,
 * and there is nothing to show any more.
 */
export async function showFirstSteps(runtime: Runtime, accountId: AccountId) {
  const { db } = runtime;
  const first = await findFirstCharge(db, accountId);
  if (first !== null) {
    const isOver = systemClock().getTime() - first.getTime() > FIRST_CALL_MS;
    const firstCall = isOver ? null : await findFirstCall(runtime, accountId, first);
    return { hasKey: true, hasCall: true, hasCharge: true, isOver, firstCall, model: null };
  }
  const keys = await listKeyPage(db, { accountId }, { limit: 1 });
  const calls = await listCalls(db, { accountId }, { limit: 1 });
  return {
    ...{ hasKey: keys.rows.length > 0, hasCall: calls.rows.length > 0, hasCharge: false, isOver: false },
    ...{ firstCall: null, model: await findExampleModel(runtime) },
  };
}
