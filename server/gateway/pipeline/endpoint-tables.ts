/** The tables of handlers by method, one for each path of the list of endpoints. */
import { GatewayError } from "@/server/base/errors";
import { endpoints } from "@/server/endpoints";
import { type EndpointDeps, endpoint, type Handler } from "./endpoint";
import { refuseUnserved, refuseWebsocket } from "./unknown-path";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
type Method = (typeof methods)[number];
export type Methods = Record<Method, Handler>;

/** One handler for every method. */
export const everyMethod = (handler: Handler): Methods =>
  Object.fromEntries(methods.map((method) => [method, handler])) as Methods;

/** Every method answers in the envelope; methods without a handler answer 405. */
function createTable(deps: EndpointDeps, name: string, handlers: Partial<Methods>): Methods {
  const allowed = Object.keys(handlers).join(", ");
  const refuse = endpoint(deps, {
    name,
    access: "open",
    run: ({ request }) => {
      refuseWebsocket(request);
      refuseUnserved(request);
      throw new GatewayError("methodNotAllowed", request.method, { headers: { allow: allowed } });
    },
  });
  return { ...everyMethod(refuse), ...handlers };
}

/** The tables of the endpoints that `handlerOf` has a handler for, by path. Refusals have the name of the first GET. */
export function createTables(
  deps: EndpointDeps,
  handlerOf: (endpoint: (typeof endpoints)[number]) => Handler | null,
): Map<string, Methods> {
  const tables = new Map<string, { name: string; handlers: Partial<Methods> }>();
  for (const declared of endpoints) {
    const handler = handlerOf(declared);
    if (handler !== null) {
      const { name, handlers } = tables.get(declared.path) ?? { name: declared.name, handlers: {} };
      tables.set(declared.path, {
        name: declared.method === "get" && !handlers.GET ? declared.name : name,
        handlers: { ...handlers, [declared.method.toUpperCase()]: handler },
      });
    }
  }
  return new Map([...tables].map(([path, { name, handlers }]) => [path, createTable(deps, name, handlers)]));
}
