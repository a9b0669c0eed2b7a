import { GatewayError } from "@/server/base/errors";
import type { Route } from "./route";
import { routes } from "./routes";

/** A route that matches a request, with the parameters of its path. */
export type Found = { route: Route; path: string; parameters: Record<string, string> };

/** Decodes each segment of a path, because a model's name may have a slash. null: a segment cannot be decoded. */
function segmentsOf(path: string): string[] | null {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return null;
  }
}

function match(path: string, pattern: string): Record<string, string> | null {
  const segments = segmentsOf(path);
  const patternParts = pattern.split("/");
  if (segments?.length !== patternParts.length) {
    return null;
  }
  const parameters: Record<string, string> = {};
  for (const [index, want] of patternParts.entries()) {
    const segment = segments[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(want)?.[1];
    if (name === undefined ? segment !== want : segment === "") {
      return null;
    }
    if (name !== undefined) {
      parameters[name] = segment;
    }
  }
  return parameters;
}

/** Throws unknownPath (404) and methodNotAllowed (405). */
export function findRoute(method: string, pathname: string): Found {
  const path = pathname.replace(/^\/admin\/v1/, "").replace(/\/$/, "");
  const candidates = routes.flatMap((route) => {
    const parameters = match(path, route.path);
    return parameters ? [{ route, path: `${route.method} ${path}`, parameters }] : [];
  });
  if (candidates.length === 0) {
    throw new GatewayError("unknownPath", pathname.slice(0, 200));
  }
  const routeMethod = method === "HEAD" ? "GET" : method;
  const candidate = candidates.find(({ route }) => route.method === routeMethod);
  if (!candidate) {
    const allow = candidates.map(({ route }) => route.method).join(", ");
    throw new GatewayError("methodNotAllowed", method, { headers: { allow } });
  }
  return candidate;
}
