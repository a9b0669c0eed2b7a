import { listKeyPage } from "@/server/access";
import { inDecimals } from "@/server/base/money";
import { listPeriods, spendByDay } from "@/server/billing";
import { listCalls } from "@/server/calls";
import { findServedModels } from "@/server/channels";
import type { AccountId } from "@/server/domain/ids";
import type { Runtime } from "@/server/runtime/runtime";
import { listOpenTasks } from "@/server/videos";

const FEW = 5;

/** Charges of the current month by day and model, of one account or of all. */
export async function findDays({ db, billing, config }: Runtime, accountId?: AccountId) {
  const period = billing.period();
  return await spendByDay(db, { accountId, period, timeZone: config.BILLING_TIMEZONE });
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

/** An account's progress towards its first charged call. */
export async function showFirstSteps(runtime: Runtime, accountId: AccountId) {
  const { db } = runtime;
  // A model may be free: a month with calls of it has days, although nothing is used.
  const hasCharge =
    (await listPeriods(db, accountId)).some(({ used }) => used > 0n) ||
    (await findDays(runtime, accountId)).length > 0;
  if (hasCharge) {
    return { hasKey: true, hasCall: true, hasCharge, model: null };
  }
  const keys = await listKeyPage(db, { accountId }, { limit: 1 });
  const calls = await listCalls(db, { accountId }, { limit: 1 });
  return {
    hasKey: keys.rows.length > 0,
    hasCall: calls.rows.length > 0,
    hasCharge,
    model: await findExampleModel(runtime),
  };
}
