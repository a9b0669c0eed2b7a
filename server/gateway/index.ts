/**
 * The gateway: `/v1`. Knows the protocol and the order of a request's steps, and holds no business rules. Each path of
 * the list of endpoints has a table of handlers by method. The lean server and Next both use the tables. The console
 * calls them as one of its own keys, through the same pipeline, with a caller that is already known.
 */

import { type Endpoint, type EndpointId, locate } from "@/server/endpoints";
import { formsOf } from "./body/body";
import { askModel } from "./gemini";
import { type Cors, createCors } from "./pipeline/cors";
import { type EndpointDeps, endpoint, type Handler } from "./pipeline/endpoint";
import { createTables, everyMethod, type Methods } from "./pipeline/endpoint-tables";
import type { GatewayDeps } from "./pipeline/gateway-deps";
import { withIdempotencyKey } from "./pipeline/idempotency-key";
import { modelInPath } from "./pipeline/path-model";
import { refusePath } from "./pipeline/unknown-path";
import { openRuns, type Run, runOf } from "./runs";
import { isSignedContentCall, signedVideoContent } from "./videos/video-content";

export { type BodyBudget, type BodyBytes, createBodyBudget } from "./body/body-bytes";
export { MAX_BODY_BYTES } from "./body/raw-body";
export { servedTarget } from "./pipeline/base-urls";
export type { Methods } from "./pipeline/endpoint-tables";
export { isMisplaced } from "./pipeline/unknown-path";
export { type BackgroundRuns, createBackgroundRuns } from "./responses/background-runs";

export type Gateway = {
  /** The handlers of a path below `/v1`, or of Azure's or Google's address, without a slash at its end. */
  at: (path: string) => Methods;
};

/** Opens an endpoint to pages of other origins. */
function withCors({ preflight, headersFor }: Cors, methods: Methods): Methods {
  const open =
    (handle: Handler): Handler =>
    async (request, peer, as) => {
      const preflightReply = preflight(request);
      if (preflightReply) {
        return preflightReply;
      }
      const reply = await handle(request, peer, as);
      return { ...reply, headers: { ...reply.headers, ...headersFor(request) } };
    };
  return Object.fromEntries(
    Object.entries(methods).map(([method, handle]) => [method, open(handle)]),
  ) as Methods;
}

const MODEL_PATH = "/v1/models/{model}";

/** For Azure's clients: the address names the model. */
const named =
  (run: Run): Run =>
  (call) =>
    run(Object.assign(call, { pathModel: modelInPath(call.request) }));

type Deps = EndpointDeps & GatewayDeps;

/** A call with a key. Repeats with one Idempotency-Key run once, if the call is declared so. */
const keyed = (deps: Deps, declared: Endpoint, run: Run): Handler =>
  endpoint(deps, {
    ...declared,
    access: "key",
    run: declared.isIdempotent ? withIdempotencyKey(deps, run, formsOf(declared)) : run,
  });

/** A video's file, which a signed address also gives without a key. */
function signedOr(deps: Deps, { name }: Endpoint, own: Handler): Handler {
  const signed = endpoint(deps, { name, access: "open", run: signedVideoContent(deps) });
  return (request, peer, as) =>
    isSignedContentCall(request) ? signed(request, peer) : own(request, peer, as);
}

function handlerOf(deps: Deps, declared: Endpoint<EndpointId>): Handler {
  const { id, name } = declared;
  if (id === "listModels" || id === "getModel") {
    return endpoint(deps, { name, access: "open", run: openRuns[id](deps) });
  }
  const handler = keyed(deps, declared, runOf(deps, id));
  return id === "getVideoTaskContent" ? signedOr(deps, declared, handler) : handler;
}

/** `corsOrigins`: the origins whose pages may call; if empty, none may. */
export function createGateway(deps: Deps & { corsOrigins: readonly string[] }): Gateway {
  const cors = deps.corsOrigins.length > 0 ? createCors(deps.corsOrigins) : null;
  const opened = (methods: Methods) => (cors ? withCors(cors, methods) : methods);
  const refuse = endpoint(deps, { name: "unknown", access: "open", run: refusePath(deps) });
  const unknown = opened(everyMethod(refuse));
  const tables = createTables(deps, (declared) => handlerOf(deps, declared));
  tables.set(MODEL_PATH, { ...(tables.get(MODEL_PATH) ?? unknown), POST: askModel(tables, refuse) });
  const atDeployments = createTables(deps, (declared) =>
    declared.isAtDeployments ? keyed(deps, declared, named(runOf(deps, declared.id))) : null,
  );
  const openTables = (all: Map<string, Methods>) =>
    new Map([...all].map(([path, methods]) => [path, opened(methods)]));
  const places = { path: openTables(tables), deployment: openTables(atDeployments) };
  return {
    at: (target) => {
      const { path, place } = locate(target);
      return (path !== null && places[place].get(path)) || unknown;
    },
  };
}
