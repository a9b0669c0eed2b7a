import { listKeyPage } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { findCharges, findFirstCharge } from "@/server/billing";
import { chargeIdOf, listCalls } from "@/server/calls";
import { findServedModels } from "@/server/channels";
import type { AccountId } from "@/server/domain/ids";
import type { Runtime } from "@/server/runtime/runtime";
import { listOpenTasks } from "@/server/videos";

const FEW = 5;

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
