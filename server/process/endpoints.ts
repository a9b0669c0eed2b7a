import { toResponse, withoutBody } from "@/server/base/reply";
import type { Gateway, Handler, Methods } from "@/server/gateway";
import { getRuntime } from "./runtime";

/** Where each endpoint of the gateway is; `[taskId]` is one segment of any text. Both servers take it from here. */
const endpoints = {
  "/v1/models": "models",
  "/v1/chat/completions": "chatCompletions",
  "/v1/embeddings": "embeddings",
  "/v1/messages": "messages",
  "/v1/messages/count_tokens": "countTokens",
  "/v1/videos/generations": "videoTasks",
  "/v1/videos/generations/[taskId]": "videoTask",
  "/v1/videos/generations/[taskId]/content": "videoContent",
  "/v1/[...path]": "unknown",
} as const satisfies Record<`/v1/${string}`, keyof Gateway>;

type EndpointPath = keyof typeof endpoints;

const isEndpointPath = (path: string): path is EndpointPath => Object.hasOwn(endpoints, path);

/** The endpoint of a path below `/v1`, and what answers for all others. */
export function endpointAt(path: string): keyof Gateway {
  const pattern = path.replace(/^(\/v1\/videos\/generations\/)[^/]+/, "$1[taskId]");
  return endpoints[isEndpointPath(pattern) ? pattern : "/v1/[...path]"];
}

/** An endpoint's methods for Next's route module: the runtime is looked up by the first request, not by the build. */
export function routeOf(path: EndpointPath): Record<keyof Methods, (request: Request) => Promise<Response>> {
  const method = (name: keyof Methods) => async (request: Request) => {
    const handle: Handler = (await getRuntime()).gateway[endpoints[path]][name];
    // Next cannot see the socket.
    const reply = await handle(request, null);
    // It asks as for GET where a client sends HEAD, and leaves the body unread.
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
