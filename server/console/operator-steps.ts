import { hasCustomer } from "@/server/access";
import { listCalls } from "@/server/calls";
import { findServedModels, listChannels } from "@/server/channels";
import type { Runtime } from "@/server/runtime/runtime";

/** The progress of an installation towards its first paid call. The sandbox is no vendor. */
export async function showOperatorSteps({ db, catalog }: Runtime) {
  const channels = (await listChannels(db)).filter(({ dialect }) => dialect !== "sandbox");
  const vendors = new Set(channels.flatMap(({ models }) => Object.keys(models)));
  const served = await findServedModels(db);
  const sold = (await catalog.list()).filter(({ id }) => served.has(id));
  const calls = await listCalls(db, {}, { limit: 1 });
  return {
    hasChannel: channels.length > 0,
    hasModel: sold.some(({ id }) => vendors.has(id)),
    hasCustomer: await hasCustomer(db),
    hasCall: calls.rows.length > 0,
  };
}
