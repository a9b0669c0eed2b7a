import { lookUp } from "@/server/base/deadline";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { Nanos } from "@/server/base/money";
import { getBalance } from "@/server/billing";
import { newId } from "@/server/domain/ids";
import { fieldsOf, videoPriceName } from "@/server/pricing";
import { admitTask, findRepeated } from "./admission";
import type { VideoDeps } from "./deps";
import type { VideoOrder } from "./order";
import type { VideoRoute } from "./pin";
import type { TaskRow } from "./rows";
import { submitUpstream } from "./submit-upstream";

/** The routes to upstreams that can make this video. Throws noVideoChannel and invalidParameters. */
async function findWays(deps: VideoDeps, order: VideoOrder, price: Nanos): Promise<VideoRoute[]> {
  const ways = (await deps.channels.routes(order.modelId)).flatMap((route) => {
    const adapter = deps.upstreams[route.api].videos;
    return adapter ? [{ route, adapter }] : [];
  });
  if (ways.length === 0) {
    const month = { accountId: order.accountId, period: deps.billing.period() };
    const { available } = await lookUp(getBalance(deps.db, month));
    throw available < price
      ? new GatewayError("quotaExhausted")
      : new GatewayError("noVideoChannel", order.modelId);
  }
  const refusals = ways.map(({ route, adapter }) => adapter.refusal({ ...order, model: route.upstreamName }));
  const [first] = refusals;
  if (first && !refusals.includes(null)) {
    throw new GatewayError("invalidParameters", first);
  }
  return ways.filter((_way, index) => refusals[index] === null);
}

/** The quoted price. Throws unknownModel and unpricedVideo. */
async function priceOf(deps: VideoDeps, order: VideoOrder): Promise<Nanos> {
  const { modelId, durationSeconds, resolution } = order;
  const model = await deps.catalog.get(modelId, "video", order.priceGroupId);
  const combination = { durationSeconds, resolution };
  const price = model.prices.get(videoPriceName(combination));
  if (price === undefined) {
    // The spec's default resolution is 720p, in which not every model is sold.
    throw new GatewayError(
      "unpricedVideo",
      errorMessages.notPriced({ model: modelId, combination, sold: fieldsOf(model.prices).videoPrices }),
    );
  }
  return price;
}

/**
 * Freezes the price of an order and hands it to an upstream, or returns the task that the same Idempotency-Key created
 * before. `onFrozen`: called with the task as soon as its money is frozen. Throws as `Videos.submit`.
 */
export async function submitTask(
  deps: VideoDeps,
  order: VideoOrder,
  onFrozen: (task: TaskRow) => void,
): Promise<TaskRow> {
  const repeated = await lookUp(findRepeated(deps.db, order));
  if (repeated) {
    return repeated;
  }
  const price = await priceOf(deps, order);
  const ways = await findWays(deps, order, price);
  const taskId = newId("task");
  // If the task is stored after the time-out, no process has it: its lease returns the money.
  const task = await lookUp(admitTask(deps, { taskId, order, price }));
  if (task) {
    onFrozen(task);
    return await submitUpstream(deps, task, ways);
  }
  const first = await lookUp(findRepeated(deps.db, order));
  if (!first) {
    // The first submission has failed since.
    throw new GatewayError("unavailable");
  }
  return first;
}
