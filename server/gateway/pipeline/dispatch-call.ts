import { type Cancellation, eitherOf } from "@/server/base/cancellation";
import type { Model } from "@/server/catalog";
import type { Dispatch, Dispatched, Plan } from "@/server/channels";
import type { UsageSource } from "@/server/domain/enums";
import type { Usage } from "@/server/protocol/usage/usage";
import type { AuthedCall, PaidCall } from "./call";
import { channelCostCeiling } from "./channel-costs";
import { charge } from "./charge";
import type { GatewayDeps } from "./gateway-deps";

/** How a call is sent, and how its answer is read. */
type DispatchOptions<T, P extends Plan> = Pick<
  Dispatch<T, P>,
  "plan" | "accept" | "isStream" | "repeats" | "routing" | "affinity" | "hedgeAfterMs"
> & {
  /** Ends the call, as its client's hang-up does. */
  unwanted?: Cancellation | undefined;
};

/** The call and its model. `ceiling`: the most that a paid call can use. */
type ModelCall =
  | { call: AuthedCall; model: Model; ceiling?: never }
  | Pick<PaidCall, "call" | "model" | "ceiling">;

/** Sends a call to the first channel that takes it. Throws what `dispatch` throws. */
export const dispatchCall = <T, P extends Plan>(
  { channels }: GatewayDeps,
  { call, model, ceiling }: ModelCall,
  options: DispatchOptions<T, P>,
): Promise<Dispatched<T>> =>
  channels.dispatch({
    ...options,
    routing: options.routing ?? model.routing,
    ...(ceiling && { costAt: channelCostCeiling(model, ceiling) }),
    modelId: model.id,
    accountId: call.caller.accountId,
    attempts: call.attempts,
    passedOn: call.traceHeaders,
    cancellation: options.unwanted ? eitherOf(call.hangUp, options.unwanted) : call.hangUp,
  });

/** A whole answer and its counts. */
type Whole = { usage: Usage; source: UsageSource; hasOtherModel?: boolean };

/**
 * Sends a call whose money is frozen, and charges the usage that its answer counts. Throws as `dispatch` and `charge`
 * do.
 */
export async function dispatchAndCharge<T extends Whole, P extends Plan>(
  deps: GatewayDeps,
  paid: PaidCall,
  options: DispatchOptions<T, P>,
): Promise<T> {
  const { route, accepted } = await dispatchCall(deps, paid, options);
  await charge(deps, paid, { ...accepted, channelId: route.channelId });
  return accepted;
}
