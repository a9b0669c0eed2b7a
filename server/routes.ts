import type { Gateway, Handler, Methods } from "./gateway";
import { toResponse, withoutBody } from "./reply";
import { getRuntime } from "./runtime";

/** One method of a route module: what Next calls, and `reply`, what the lean server takes to write it itself. */
type RouteMethod = ((request: Request) => Promise<Response>) & { reply: Handler };
export type Route = Record<keyof Methods, RouteMethod>;

/** An endpoint's methods for a route module: the runtime is looked up by the first request, not by the build. */
export function routeOf(endpoint: keyof Gateway): Route {
  const method = (name: keyof Methods): RouteMethod => {
    const reply: Handler = async (request, peer) =>
      (await getRuntime()).gateway[endpoint][name](request, peer);
    const answer = async (request: Request) => {
      // Next cannot see the socket.
      const made = await reply(request, null);
      // It asks as for GET where a client sends HEAD, and leaves the body unread.
      return toResponse(request.method === "HEAD" ? await withoutBody(made) : made);
    };
    return Object.assign(answer, { reply });
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
