import type { Gateway, Handler, Methods } from "./gateway";
import { getRuntime } from "./runtime";

/** An endpoint's handlers for a route module: the runtime is looked up by the first request, not by the build. */
export function routeOf(endpoint: keyof Gateway): Methods {
  const lazily =
    (method: keyof Methods): Handler =>
    async (request, context) =>
      (await getRuntime()).gateway[endpoint][method](request, context);
  return {
    GET: lazily("GET"),
    POST: lazily("POST"),
    PUT: lazily("PUT"),
    PATCH: lazily("PATCH"),
    DELETE: lazily("DELETE"),
  };
}
