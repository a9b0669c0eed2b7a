import { BrokenCircuitError } from "cockatiel";
import { GatewayError } from "@/server/errors";
import type { Log } from "@/server/log";
import { describeErrorBody } from "@/server/protocol/upstream-error";
import {
  type Dialect,
  type Operation,
  readText,
  type Upstream,
  UpstreamFault,
  type UpstreamReply,
} from "@/server/upstream";
import { createHealth, type Health, isCredentialFault } from "./health";
import { order } from "./pick";
import type { Route } from "./store";

/** A call as one route's upstream wants it. `body`: JSON text. */
export type Plan = { operation: Operation; body: string; headers: Record<string, string> };

/** One client call on its way out. */
export type Dispatch<T, P extends Plan> = {
  modelId: string;
  /** Throws cannotConvert for a route that cannot take this call; another one may. */
  plan: (route: Route) => P;
  /**
   * Reads enough of a 2xx reply to know that it is good, before anything is committed to the client. Throws
   * UpstreamFault to have the next channel tried, GatewayError to end the call.
   */
  accept: (reply: UpstreamReply, plan: P) => Promise<T>;
  /** The client's. */
  signal: AbortSignal;
};

type Planned<P> = { route: Route; plan: P; send: NonNullable<Upstream[Operation]> };

/** What came of it. `abort` ends the upstream's reply early. */
export type Dispatched<T> = { route: Route; accepted: T; abort: () => void };

/** Enough for every credential of a handful of channels; beyond it a caller has waited long enough. */
const MAX_ATTEMPTS = 8;
const MAX_ERROR_BYTES = 64 * 1024;

/** Throws what a reply's status means. */
async function classify(reply: UpstreamReply): Promise<void> {
  const { status } = reply;
  if (status >= 200 && status < 300) {
    return;
  }
  const words = describeErrorBody(await readText(reply.body, MAX_ERROR_BYTES).catch(() => ""));
  reply.discard();
  if (status === 400 || status === 413 || status === 422) {
    throw new GatewayError("upstreamRejected", words || `上游拒绝了请求 (${status})`);
  }
  throw new UpstreamFault("refused", `${status} ${words}`.slice(0, 500), {
    status,
    retryAfterMs: reply.retryAfterMs,
  });
}

export function createDispatch(deps: {
  upstreams: Record<Dialect, Upstream>;
  findRoutes: (modelId: string) => Promise<Route[]>;
  timeoutMs: number;
  random: () => number;
  log: Log;
  observe: (attempt: { channelId: string; outcome: string }) => void;
}) {
  const healths = new Map<string, Health>();
  /** Each operation its own: an upstream that cannot count tokens, or embed, may well converse. */
  const healthOf = (channelId: string, operation: Operation): Health => {
    const key = `${channelId} ${operation}`;
    const health = healths.get(key) ?? createHealth();
    healths.set(key, health);
    return health;
  };

  /** One attempt with a deadline until `accept` is content; the client's hang-up ends it at any time. */
  async function attempt<T, P extends Plan>(
    call: Dispatch<T, P>,
    { route, plan, send }: Planned<P>,
    secret: string,
  ): Promise<Dispatched<T>> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    call.signal.addEventListener("abort", abort, { once: true });
    if (call.signal.aborted) {
      abort();
    }
    const deadline = setTimeout(
      () => controller.abort(new UpstreamFault("timeout", `no answer within ${deps.timeoutMs} ms`)),
      deps.timeoutMs,
    );
    try {
      const reply = await send({
        baseUrl: route.baseUrl,
        secret,
        body: plan.body,
        headers: plan.headers,
        signal: controller.signal,
      });
      await classify(reply);
      return { route, accepted: await call.accept(reply, plan), abort };
    } catch (error) {
      call.signal.removeEventListener("abort", abort);
      if (call.signal.aborted) {
        // Not the channel's doing: its breaker must not count it.
        controller.abort();
        throw new GatewayError("clientGone", "", { cause: error });
      }
      const cause: unknown = controller.signal.reason;
      const fault = cause instanceof UpstreamFault ? cause : error;
      controller.abort();
      throw fault instanceof UpstreamFault || fault instanceof GatewayError
        ? fault
        : new UpstreamFault("broken", String(fault), { cause: fault });
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Tries one channel with each credential that is fit. Answers the faults when none worked. */
  async function tryChannel<T, P extends Plan>(
    call: Dispatch<T, P>,
    planned: Planned<P>,
    isLastResort: boolean,
  ): Promise<Dispatched<T> | UpstreamFault[]> {
    const { route } = planned;
    const health = healthOf(route.channelId, planned.plan.operation);
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
        const once = () => attempt(call, planned, route.secrets[credential] ?? "");
        const done = await (isProbing ? once() : health.run(once));
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
        if (!isCredentialFault(error)) {
          return faults;
        }
        health.rest(credential, error);
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
