import { answerAdmin } from "@/server/admin";
import { plainReply, type Reply, toResponse, withoutBody } from "@/server/base/reply";
import { behindModels, deploymentIn, type Gateway, type Methods, servedTarget } from "@/server/gateway";
import { getRuntime, isFronted, type Runtime } from "../runtime/runtime";
import { answerPaymentEvent } from "./payment-events";

/** The path of each endpoint of the gateway; `[taskId]` is one segment of any text. Both servers use this table. */
const endpoints = {
  "/v1/models": "models",
  "/v1/models/[...modelId]": "model",
  "/v1/chat/completions": "chatCompletions",
  "/v1/completions": "completions",
  "/v1/embeddings": "embeddings",
  "/v1/images/generations": "images",
  "/v1/images/edits": "imageEdits",
  "/v1/audio/speech": "speech",
  "/v1/audio/transcriptions": "transcriptions",
  "/v1/audio/translations": "translations",
  "/v1/rerank": "rerank",
  "/v1/moderations": "moderations",
  "/v1/messages": "messages",
  "/v1/messages/count_tokens": "countTokens",
  "/v1/responses": "responses",
  "/v1/responses/input_tokens": "responseTokens",
  "/v1/responses/compact": "responseCompact",
  "/v1/responses/[responseId]": "response",
  "/v1/responses/[responseId]/input_items": "responseInput",
  "/v1/responses/[responseId]/cancel": "responseCancel",
  "/v1/conversations": "conversations",
  "/v1/conversations/[conversationId]": "conversation",
  "/v1/conversations/[conversationId]/items": "conversationItems",
  "/v1/conversations/[conversationId]/items/[itemId]": "conversationItem",
  "/v1/videos": "videos",
  "/v1/videos/[taskId]": "video",
  "/v1/videos/[taskId]/content": "videoFile",
  "/v1/videos/[taskId]/remix": "videoRemix",
  "/v1/videos/generations": "videoTasks",
  "/v1/videos/generations/[taskId]": "videoTask",
  "/v1/videos/generations/[taskId]/content": "videoContent",
  "/v1/usage": "usage",
  "/v1/credits": "credits",
  "/v1/key": "key",
  "/v1/auth/key": "key",
  "/v1/dashboard/billing/subscription": "subscription",
  "/v1/dashboard/billing/usage": "spent",
  "/v1/[...path]": "unknown",
} as const satisfies Record<`/v1/${string}`, keyof Gateway>;

type EndpointPath = keyof typeof endpoints;

const isEndpointPath = (path: string): path is EndpointPath => Object.hasOwn(endpoints, path);

/**
 * Endpoints whose Azure addresses have a handler of their own, so that their usual calls need not look at the address;
 * the other endpoints look at it themselves.
 */
const ofDeployments = new Map<string, keyof Gateway>([
  ["chat/completions", "deploymentChat"],
  ["embeddings", "deploymentEmbeddings"],
]);

/** The endpoint of a path below `/v1`, of an Azure or Google path, and the handler of all other paths. */
export function endpointAt(path: string): keyof Gateway {
  const deployment = deploymentIn(path);
  if (deployment !== null) {
    return ofDeployments.get(deployment.operation) ?? endpointAt(`/v1/${deployment.operation}`);
  }
  const modelId = behindModels(path);
  if (modelId !== null) {
    return modelId === "" ? "models" : "model";
  }
  const pattern = path
    .replace(/^(\/v1\/videos\/(?:generations\/|(?!generations(?:\/|$))))[^/]+/, "$1[taskId]")
    .replace(/^(\/v1\/responses\/)(?!(?:input_tokens|compact)(?:\/|$))[^/]+/, "$1[responseId]")
    .replace(/^(\/v1\/conversations\/)[^/]+/, "$1[conversationId]")
    .replace(/^(\/v1\/conversations\/\[conversationId\]\/items\/)[^/]+$/, "$1[itemId]");
  return endpoints[isEndpointPath(pattern) ? pattern : "/v1/[...path]"];
}

type RuntimeHandler = (runtime: Runtime, request: Request) => Promise<Reply>;
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

/** An endpoint of the gateway as Next's route module; Next cannot see the socket. */
export const routeOf = (path: EndpointPath): RouteModule =>
  routeModule((method) => (runtime, request) => runtime.gateway[endpoints[path]][method](request, null));

/**
 * The same request at another path. It holds the original, because otherwise the client's hang-up would no longer reach
 * it.
 */
function atPath(request: Request, path: string): Request {
  const { search, origin } = new URL(request.url);
  return Object.assign(new Request(`${origin}${path}${search}`, request), { source: request });
}

/** The addresses of other vendors, as Next's route module. */
export const vendorsRoute = routeModule((method) => (runtime, request) => {
  const { pathname } = new URL(request.url);
  const path = servedTarget(pathname);
  const served = path === pathname ? request : atPath(request, path);
  return runtime.gateway[endpointAt(path.replace(/\/$/, ""))][method](served, null);
});

/** The admin API, as Next's route module. */
export const adminRoute = routeModule(() => (runtime, request) => answerAdmin(runtime, request, null));

/** The messages of payment providers, as Next's route module. */
export const paymentsRoute = routeModule(
  () => (runtime, request) => answerPaymentEvent(runtime, request, new URL(request.url).pathname),
);
