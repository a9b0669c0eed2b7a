import { type Cancellation, pause } from "@/server/base/cancellation";
import type { Timers } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import type { Log } from "@/server/base/log";
import type { VendorApi } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import type { Operation, Upstream, UpstreamFault } from "@/server/upstream";
import { errorOfFaults, isOfCredential, mayRepeat, repeatAfterMs } from "../health/faults";
import type { HealthRegistry, RoundKind } from "../health/registry";
import type { Route } from "../routing/routes";
import { choose, type RouteChoice, wayOf } from "../routing/routing";
import type { Speeds } from "../routing/speeds";
import {
  type AttemptPlan,
  type Dispatch,
  type Dispatched,
  endOf,
  type Outgoing,
  type Planned,
  UpstreamAttempt,
} from "./attempt";
import type { Attempt } from "./attempts";
import { hedged } from "./hedge";

/** Enough for every credential of a handful of channels; after that the client has waited long enough. */
const MAX_ATTEMPTS = 8;

/** Rounds after the first, for calls that no channel took and no upstream worked on. */
const MAX_REPEATS = 2;

type Failure<P extends AttemptPlan> = { planned: Planned<P>; fault: UpstreamFault };

/** No channel took the call in this round. `refused`: the error of a route that cannot take this kind of call. */
type NoneTook<P extends AttemptPlan> = { done: null; faults: Failure<P>[]; refused: GatewayError | null };

const isNone = <T, P extends AttemptPlan>(result: Dispatched<T> | NoneTook<P>): result is NoneTook<P> =>
  "refused" in result;

/** Continues after a round in which no channel took the call. */
type Otherwise<P extends AttemptPlan, R> = (none: NoneTook<P>) => R | Promise<R>;

/** The operation that each route was asked for. */
type Operations = Map<Route, Operation>;

/** The call on its way through its rounds, with the faults of all of them. */
type Search<T, P extends AttemptPlan> = Pick<RouteChoice, "credentialsOf"> & {
  call: Outgoing<T, P>;
  operations: Operations;
  allFaults: UpstreamFault[];
};

/** `ways`: two hedged tries share the iterator, so each route is tried once. `faults`: both tries add to it. */
type Round<P extends AttemptPlan> = { ways: Iterable<Route>; kind: RoundKind; faults: Failure<P>[] };

type DispatchDeps = {
  upstreams: Record<VendorApi, Upstream>;
  findRoutes: (modelId: string) => Eventual<Route[]>;
  healths: HealthRegistry;
  speeds: Speeds;
  timeoutMs: number;
  /** Ends calls that wait for an answer when the process stops, with its reason. */
  stopping: Cancellation;
  random: () => number;
  timers: Timers;
  log: Log;
  /** Called with each attempt when it has ended. */
  observe: (attempt: Attempt) => void;
};

/** Plans the call for one route. null: its upstream lacks the operation. An error: the route cannot take this call. */
function planFor<T, P extends AttemptPlan>(
  { upstreams }: DispatchDeps,
  call: Dispatch<T, P>,
  route: Route,
): Eventual<Planned<P> | GatewayError | null> {
  const planned = (plan: P) => {
    const send = upstreams[route.api][plan.operation];
    return send ? { route, plan, send } : null;
  };
  const refused = (error: unknown) => {
    if (error instanceof GatewayError && error.kind === "cannotConvert") {
      return error;
    }
    throw error;
  };
  try {
    const plan = call.plan(route);
    return plan instanceof Promise ? plan.then(planned).catch(refused) : planned(plan);
  } catch (error) {
    return refused(error);
  }
}

/** The attempt at a channel with one of its credentials. `skipped`: the channel gets no attempt with any other, either. */
function attemptWith<T, P extends AttemptPlan>(
  { healths, timeoutMs }: DispatchDeps,
  call: Outgoing<T, P>,
  { planned, kind, credential }: { planned: Planned<P>; kind: RoundKind; credential: number },
): UpstreamAttempt<T, P> | "skipped" | "resting" {
  const { route, plan } = planned;
  const target = { operation: plan.operation, credential, accountId: call.accountId };
  const trial = endOf(call) ? "skipped" : healths.begin(route, target, kind);
  return typeof trial === "string"
    ? trial
    : new UpstreamAttempt(call, planned, {
        secret: route.secrets[credential] ?? "",
        hint: route.hints[credential] ?? "",
        timeoutMs: route.timeoutMs ?? timeoutMs,
        trial,
      });
}

/**
 * Tries channels one after another until one takes the call, each with its credentials. If the first attempt succeeds,
 * nothing but the upstream's answer is waited for.
 */
async function tryAll<T, P extends AttemptPlan, R>(
  deps: DispatchDeps,
  { call, operations, credentialsOf, allFaults }: Search<T, P>,
  { ways, kind, faults, otherwise }: Round<P> & { otherwise: Otherwise<P, R> },
): Promise<Dispatched<T> | R> {
  let refused: GatewayError | null = null;
  for (const route of ways) {
    if (allFaults.length >= MAX_ATTEMPTS || endOf(call)) {
      break;
    }
    const eventual = planFor(deps, call, route);
    const planned = eventual instanceof Promise ? await eventual : eventual;
    if (planned === null || planned instanceof GatewayError) {
      refused = planned ?? refused;
      continue;
    }
    operations.set(route, planned.plan.operation);
    for (const credential of credentialsOf(route)) {
      const attempt = attemptWith(deps, call, { planned, kind, credential });
      if (attempt === "skipped") {
        break;
      }
      if (attempt === "resting") {
        continue;
      }
      try {
        const accepted = attempt.accept(await attempt.send());
        return attempt.succeed(accepted instanceof Promise ? await accepted : accepted);
      } catch (error) {
        const fault = attempt.fail(error);
        faults.push({ planned, fault });
        allFaults.push(fault);
        if (!isOfCredential(fault)) {
          break;
        }
      } finally {
        attempt.close();
      }
    }
  }
  return await otherwise({ done: null, faults, refused });
}

/** One round over these channels. A stream that does not begin in time is hedged in its first round. */
function tryRound<T, P extends AttemptPlan, R>(
  deps: DispatchDeps,
  search: Search<T, P>,
  { routes, kind, otherwise }: { routes: Route[]; kind: RoundKind; otherwise: Otherwise<P, R> },
): Promise<Dispatched<T> | R> {
  const { call } = search;
  const round: Round<P> = { ways: routes.values(), kind, faults: [] };
  const afterMs = call.isStream && kind === "first" && routes.length > 1 ? call.hedgeAfterMs : null;
  if (typeof afterMs !== "number") {
    return tryAll(deps, search, { ...round, otherwise });
  }
  const begin = async (cancellation: Cancellation) => {
    const own = { ...search, call: { ...call, cancellation } };
    const result = await tryAll(deps, own, { ...round, otherwise: (none) => none });
    return isNone(result) ? result : { done: result };
  };
  const { timers, cancellation } = call;
  return hedged(begin, { afterMs, timers, cancellation }).then((came) => came.done ?? otherwise(came));
}

/** The error for a call that no channel took. */
function failureOf(
  { healths }: DispatchDeps,
  accountId: AccountId,
  { operations, faults }: { operations: Operations; faults: readonly UpstreamFault[] },
): GatewayError {
  const waits = [...operations].flatMap(
    ([route, operation]) => healths.opensInMs(route, operation, accountId) ?? [],
  );
  return errorOfFaults(faults, waits.length > 0 ? Math.min(...waits) : null);
}

/** The rounds after a first one in which no channel took the call. */
async function tryAgain<T, P extends AttemptPlan>(
  deps: DispatchDeps,
  search: Search<T, P>,
  { routes, first }: { routes: Route[]; first: NoneTook<P> },
): Promise<Dispatched<T>> {
  const { call, operations, allFaults } = search;
  const retry = (among: Route[], kind: RoundKind) =>
    tryRound(deps, search, { routes: among, kind, otherwise: (none) => none });
  // Unfit channels are tried only if no fit one exists.
  let tried = allFaults.length === 0 ? await retry(routes, "lastResort") : first;
  if (isNone(tried) && tried.refused !== null && allFaults.length === 0) {
    throw tried.refused;
  }
  for (let round = 0; isNone(tried) && round < (call.repeats ?? MAX_REPEATS); round++) {
    const last: Failure<P>[] = tried.faults;
    const waitMs = repeatAfterMs(
      last.map(({ fault }) => fault),
      round,
    );
    if (waitMs === null || allFaults.length >= MAX_ATTEMPTS || endOf(call)) {
      break;
    }
    await pause(call.timers, waitMs, [call.cancellation, call.stopping]);
    const again = last.filter(({ fault }) => mayRepeat(fault)).map(({ planned }) => planned.route);
    tried = await retry([...new Set(again)], "repeat");
  }
  if (!isNone(tried)) {
    return tried;
  }
  throw endOf(call) ?? failureOf(deps, call.accountId, { operations, faults: allFaults });
}

const unmeasured = () => {};

/**
 * Sends a call to the first channel that takes it. If none does and no upstream may have done paid work, sends it again
 * to the same channels after the wait that they ask for. Throws the 502 errors, 400 with the upstream's own words, and
 * 503 when the process stops.
 */
export function dispatch<T, P extends AttemptPlan>(
  deps: DispatchDeps,
  request: Dispatch<T, P>,
): Promise<Dispatched<T>> {
  const { stopping, observe, speeds, timers } = deps;
  const measured =
    request.routing === "fastest"
      ? (route: Route, ms: number) => speeds.note(wayOf(request, route), ms)
      : unmeasured;
  const call = { ...request, stopping, observe, timers, measured };
  const among = (found: Route[]) => {
    const { routes, credentialsOf } = choose(deps, call, found);
    const search: Search<T, P> = { call, credentialsOf, operations: new Map(), allFaults: [] };
    const otherwise = (first: NoneTook<P>) => tryAgain(deps, search, { routes, first });
    return tryRound(deps, search, { routes, kind: "first", otherwise });
  };
  const found = deps.findRoutes(call.modelId);
  return found instanceof Promise ? found.then(among) : among(found);
}
