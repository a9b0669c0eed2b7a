import { BrokenCircuitError } from "cockatiel";
import { GatewayError } from "@/server/errors";
import type { Log } from "@/server/log";
import { type Dialect, type Upstream, UpstreamFault } from "@/server/upstream";
import { attempt, type Dispatch, type Dispatched, type Plan, type Planned } from "./attempt";
import { isCredentialFault } from "./health";
import type { Healths } from "./healths";
import { order } from "./pick";
import type { Route } from "./routes";

/** Enough for every credential of a handful of channels; beyond it a caller has waited long enough. */
const MAX_ATTEMPTS = 8;

export function createDispatch(deps: {
  upstreams: Record<Dialect, Upstream>;
  findRoutes: (modelId: string) => Promise<Route[]>;
  healths: Healths;
  timeoutMs: number;
  random: () => number;
  log: Log;
  observe: (attempt: { channelId: string; outcome: string }) => void;
}) {
  const { timeoutMs } = deps;

  /** Tries one channel with each credential that is fit. Answers the faults when none worked. */
  async function tryChannel<T, P extends Plan>(
    call: Dispatch<T, P>,
    planned: Planned<P>,
    isLastResort: boolean,
  ): Promise<Dispatched<T> | UpstreamFault[]> {
    const { route } = planned;
    const health = deps.healths.of(route, planned.plan.operation);
    const faults: UpstreamFault[] = [];
    // While one call probes a channel that had failed, the others go elsewhere; those with nowhere to go try it too.
    const isProbing = health.isProbing();
    if (isProbing && !isLastResort) {
      return faults;
    }
    const first = Math.floor(deps.random() * route.secrets.length);
    for (let step = 0; step < route.secrets.length && !call.signal.aborted; step++) {
      const credential = (first + step) % route.secrets.length;
      if (health.isResting(credential) && !isLastResort) {
        continue;
      }
      try {
        const once = () => attempt(call, planned, { secret: route.secrets[credential] ?? "", timeoutMs });
        const done = await (isProbing ? once() : health.run(once));
        health.noteOk();
        deps.observe({ channelId: route.channelId, outcome: "ok" });
        return done;
      } catch (error) {
        if (error instanceof BrokenCircuitError) {
          return faults;
        }
        if (!(error instanceof UpstreamFault)) {
          throw error;
        }
        deps.observe({ channelId: route.channelId, outcome: error.reason });
        deps.log.warn(
          { channelId: route.channelId, reason: error.reason, status: error.status },
          error.message,
        );
        faults.push(error);
        health.noteFault(credential, error);
        if (!isCredentialFault(error)) {
          return faults;
        }
      }
    }
    return faults;
  }

  /** The call for one route. null: its upstream has no such operation. An error: it has no way to take this call. */
  function planFor<T, P extends Plan>(call: Dispatch<T, P>, route: Route): Planned<P> | GatewayError | null {
    try {
      const plan = call.plan(route);
      const send = deps.upstreams[route.dialect][plan.operation];
      return send ? { route, plan, send } : null;
    } catch (error) {
      if (error instanceof GatewayError && error.kind === "cannotConvert") {
        return error;
      }
      throw error;
    }
  }

  return {
    /** Sends a call to the first channel that takes it. Throws the 502s, and 400 with the upstream's own words. */
    dispatch: async <T, P extends Plan>(call: Dispatch<T, P>): Promise<Dispatched<T>> => {
      const routes = order(await deps.findRoutes(call.modelId), deps.random);
      const faults: UpstreamFault[] = [];
      let refusal: GatewayError | null = null;
      for (const isLastResort of [false, true]) {
        for (const route of routes) {
          if (faults.length >= MAX_ATTEMPTS || call.signal.aborted) {
            break;
          }
          const planned = planFor(call, route);
          if (planned === null || planned instanceof GatewayError) {
            refusal = planned ?? refusal;
            continue;
          }
          const outcome = await tryChannel(call, planned, isLastResort);
          if (!Array.isArray(outcome)) {
            return outcome;
          }
          faults.push(...outcome);
        }
        // Only when nothing was fit is something unfit better than nothing.
        if (faults.length > 0) {
          break;
        }
      }
      if (call.signal.aborted) {
        throw new GatewayError("clientGone");
      }
      if (refusal !== null && faults.length === 0) {
        throw refusal;
      }
      const allMalformed =
        faults.length > 0 && faults.every(({ reason }) => reason === "malformed" || reason === "unusable");
      throw new GatewayError(allMalformed ? "upstreamMalformed" : "upstreamsUnavailable", "", {
        cause: faults.at(-1),
      });
    },
  };
}
