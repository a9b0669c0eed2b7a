import { answerAdmin } from "@/server/admin";
import type { Eventual } from "@/server/base/eventual";
import { plainReply, type Reply, toResponse, withoutBody } from "@/server/base/reply";
import { type Methods, servedTarget } from "@/server/gateway";
import type { Runtime } from "../runtime/runtime";
import { getRuntime, isFronted } from "../runtime/shared-runtime";
import { answerPaymentEvent } from "./payment-events";

type RuntimeHandler = (runtime: Runtime, request: Request) => Eventual<Reply>;
type RouteModule = Record<keyof Methods, (request: Request) => Promise<Response>>;

/**
 * Handles every method for one of Next's route modules. The runtime is looked up at the first request, not during the
 * build.
 */
function routeModule(answerOf: (method: keyof Methods) => RuntimeHandler): RouteModule {
  const method = (name: keyof Methods) => async (request: Request) => {
    if (isFronted()) {
      // Our server answers these paths itself. A request that Next takes for one has a path that only poses as it
      // (`/x/../v1/models`), and would be answered in the wrong process, for a client of unknown address.
      return toResponse(plainReply(404, "not found"));
    }
    const reply = await answerOf(name)(await getRuntime(), request);
    // For HEAD, Next calls the GET handler and leaves the body unread.
    return toResponse(request.method === "HEAD" ? await withoutBody(reply) : reply);
  };
  return {
    GET: method("GET"),
    POST: method("POST"),
    PUT: method("PUT"),
    PATCH: method("PATCH"),
    DELETE: method("DELETE"),
    OPTIONS: method("OPTIONS"),
  };
}

/**
 * The same request at another path. It holds the original, because otherwise the client's hang-up would no longer reach
 * it.
 */
function atPath(request: Request, path: string): Request {
  const { search, origin } = new URL(request.url);
  return Object.assign(new Request(`${origin}${path}${search}`, request), { source: request });
}

/** The gateway, as the route module of every path of `/v1` and of other vendors; Next cannot see the socket. */
export const gatewayRoute = routeModule((method) => (runtime, request) => {
  const { pathname } = new URL(request.url);
  const path = servedTarget(pathname);
  const served = path === pathname ? request : atPath(request, path);
  return runtime.gateway.at(path.replace(/\/$/, ""))[method](served, null);
});

/** The admin API, as Next's route module. */
export const adminRoute = routeModule(() => (runtime, request) => answerAdmin(runtime, request, null));

/** The messages of payment providers, as Next's route module. */
export const paymentsRoute = routeModule(
  () => (runtime, request) => answerPaymentEvent(runtime, request, new URL(request.url).pathname),
);
