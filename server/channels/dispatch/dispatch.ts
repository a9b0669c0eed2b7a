import { type Cancellation, pause } from "@/server/base/cancellation";
import type { Timers } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import type { Log } from "@/server/base/log";
import type { VendorApi } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { type Operation, type Upstream, UpstreamFault } from "@/server/upstream";
import { isOfCredential, mayRepeat, refusalOf, repeatAfterMs } from "../health/faults";
import type { HealthRegistry, RoundKind } from "../health/registry";
import type { Route } from "../routing/routes";
import { choose, type RouteChoice, wayOf } from "../routing/routing";
import type { Speeds } from "../routing/speeds";
import {
  type AttemptPlan,
  attempt,
  type Dispatch,
  type Dispatched,
  endOf,
  type Outgoing,
  type Planned,
} from "./attempt";
import type { Attempt } from "./attempts";
import { hedged } from "./hedge";

/** Enough for every credential of a handful of channels; after that the client has waited long enough. */
const MAX_ATTEMPTS = 8;

/** Rounds after the first, for calls that no channel took and no upstream worked on. */
const MAX_REPEATS = 2;

type Failure<P extends AttemptPlan> = { planned: Planned<P>; fault: UpstreamFault };

/** The result of a round over several channels. `refused`: the error of a route that cannot take this kind of call. */
type RoundResult<T, P extends AttemptPlan> =
  | { done: Dispatched<T> }
  | { done: null; faults: Failure<P>[]; refused: GatewayError | null };

/** The operation that each route was asked for. */
type Operations = Map<Route, Operation>;

/** `ways`: two hedged tries share the iterator, so each route is tried once. `faults`: both tries add to it. */
type RoundPlan<P extends AttemptPlan> = Pick<RouteChoice, "credentialsOf"> & {
  ways: Iterable<Route>;
  operations: Operations;
  faults: Failure<P>[];
  round: RoundKind;
  maxAttempts: number;
};

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

/** Tries one channel with each fit credential. Returns the faults if none worked. */
async function tryChannel<T, P extends AttemptPlan>(
  deps: DispatchDeps,
  call: Outgoing<T, P>,
  { planned, round, credentials }: { planned: Planned<P>; round: RoundKind; credentials: readonly number[] },
): Promise<Dispatched<T> | UpstreamFault[]> {
  const { route } = planned;
  const { operation } = planned.plan;
  const { accountId } = call;
  const faults: UpstreamFault[] = [];
  for (const credential of credentials) {
    if (endOf(call)) {
      break;
    }
    const trial = deps.healths.begin(route, { operation, credential, accountId }, round);
    if (trial === "skipped") {
      break;
    }
    if (trial === "resting") {
      continue;
    }
    try {
      const secret = route.secrets[credential] ?? "";
      const hint = route.hints[credential] ?? "";
      const timeoutMs = route.timeoutMs ?? deps.timeoutMs;
      return await attempt(call, planned, { secret, hint, timeoutMs, trial });
    } catch (error) {
      if (!(error instanceof UpstreamFault)) {
        throw error;
      }
      faults.push(error);
      if (!isOfCredential(error)) {
        break;
      }
    }
  }
  return faults;
}

/** Plans the call for one route. null: its upstream lacks the operation. An error: the route cannot take this call. */
async function planFor<T, P extends AttemptPlan>(
  { upstreams }: DispatchDeps,
  call: Dispatch<T, P>,
  route: Route,
): Promise<Planned<P> | GatewayError | null> {
  try {
    const plan = await call.plan(route);
    const send = upstreams[route.api][plan.operation];
    return send ? { route, plan, send } : null;
  } catch (error) {
    if (error instanceof GatewayError && error.kind === "cannotConvert") {
      return error;
    }
    throw error;
  }
}

/** Tries channels one after another until one takes the call. */
async function tryAll<T, P extends AttemptPlan>(
  deps: DispatchDeps,
  call: Outgoing<T, P>,
  { ways, operations, credentialsOf, faults, round, maxAttempts }: RoundPlan<P>,
): Promise<RoundResult<T, P>> {
  let refused: GatewayError | null = null;
  for (const route of ways) {
    if (faults.length >= maxAttempts || endOf(call)) {
      break;
    }
    const planned = await planFor(deps, call, route);
    if (planned === null || planned instanceof GatewayError) {
      refused = planned ?? refused;
      continue;
    }
    operations.set(route, planned.plan.operation);
    const outcome = await tryChannel(deps, call, { planned, round, credentials: credentialsOf(route) });
    if (!Array.isArray(outcome)) {
      return { done: outcome };
    }
    faults.push(...outcome.map((fault) => ({ planned, fault })));
  }
  return { done: null, faults, refused };
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
  return refusalOf(faults, waits.length > 0 ? Math.min(...waits) : null);
}

/**
 * Sends a call to the first channel that takes it. If none does and no upstream may have done paid work, sends it again
 * to the same channels after the wait that they ask for. Throws the 502 errors, 400 with the upstream's own words, and
 * 503 when the process stops.
 */
export async function dispatch<T, P extends AttemptPlan>(
  deps: DispatchDeps,
  request: Dispatch<T, P>,
): Promise<Dispatched<T>> {
  const { stopping, observe, speeds, timers } = deps;
  const measured = (route: Route, ms: number) => speeds.note(wayOf(request, route), ms);
  const isMeasured = request.routing === "fastest";
  const call = { ...request, stopping, observe, timers, measured: isMeasured ? measured : () => {} };
  const { routes, credentialsOf } = choose(deps, call, await deps.findRoutes(call.modelId));
  const faults: UpstreamFault[] = [];
  const operations: Operations = new Map();
  const run = async (among: Route[], round: RoundKind) => {
    const maxAttempts = MAX_ATTEMPTS - faults.length;
    const ways = among.values();
    const walk: RoundPlan<P> = { ways, operations, credentialsOf, faults: [], round, maxAttempts };
    const afterMs = call.isStream && round === "first" && among.length > 1 ? call.hedgeAfterMs : null;
    const tried = await (typeof afterMs === "number"
      ? hedged((cancellation) => tryAll(deps, { ...call, cancellation }, walk), {
          afterMs,
          timers,
          cancellation: call.cancellation,
        })
      : tryAll(deps, call, walk));
    faults.push(...(tried.done ? [] : tried.faults.map(({ fault }) => fault)));
    return tried;
  };
  let tried = await run(routes, "first");
  // Unfit channels are tried only if no fit one exists.
  if (!tried.done && faults.length === 0) {
    tried = await run(routes, "lastResort");
  }
  if (!tried.done && tried.refused !== null && faults.length === 0) {
    throw tried.refused;
  }
  for (let round = 0; !tried.done && round < (call.repeats ?? MAX_REPEATS); round++) {
    const last = tried.faults;
    const waitMs = repeatAfterMs(
      last.map(({ fault }) => fault),
      round,
    );
    if (waitMs === null || faults.length >= MAX_ATTEMPTS || endOf(call)) {
      break;
    }
    await pause(timers, waitMs, [call.cancellation, stopping]);
    const again = last.filter(({ fault }) => mayRepeat(fault)).map(({ planned }) => planned.route);
    tried = await run([...new Set(again)], "repeat");
  }
  if (tried.done) {
    return tried.done;
  }
  throw endOf(call) ?? failureOf(deps, call.accountId, { operations, faults });
}
