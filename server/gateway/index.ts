/**
 * The gateway: `/v1`. Knows the protocol and the order of a request's steps, and holds no business rules. Each endpoint
 * is a table of handlers by method. The lean server and Next both mount the tables. The console calls them as one of
 * its own keys, through the same pipeline, with a caller that is already known.
 */

import type { EndpointName } from "@/server/base/enums";
import type { Reply } from "@/server/base/reply";
import { readMessagesHeaders } from "@/server/protocol/messages/headers";
import type { Forms } from "./body/body";
import { countMessagesTokens } from "./count-tokens";
import { askModel } from "./gemini";
import { embeddings } from "./media/embeddings";
import { eachForwarded, formsOf, forwarded } from "./media/forwarded";
import { transcribe } from "./media/transcriptions";
import { getModel, listModels, usualModeration } from "./models";
import type { AuthedCall } from "./pipeline/call";
import { converse } from "./pipeline/conversation";
import { type Cors, createCors } from "./pipeline/cors";
import { type EndpointDeps, endpoint, type Handler } from "./pipeline/endpoint";
import {
  balanceTables,
  conversationTables,
  createTable,
  type Methods,
  methods,
  openaiVideoTables,
  videoTables,
} from "./pipeline/endpoint-tables";
import { withIdempotencyKey } from "./pipeline/idempotency-key";
import type { GatewayDeps } from "./pipeline/paid-call";
import { modelInPath } from "./pipeline/path-model";
import { chatKind, completionsKind, messagesKind } from "./pipeline/request-kinds";
import { refusePath } from "./pipeline/unknown-path";
import {
  cancelResponse,
  compactResponse,
  countResponseTokens,
  createResponse,
  deleteResponse,
  listInputItems,
  retrieveResponse,
} from "./responses/responses";

export { MAX_BODY_BYTES } from "./body/body";
export { type BodyBudget, type BodyBytes, createBodyBudget } from "./body/body-bytes";
export { servedTarget } from "./pipeline/base-urls";
export type { Methods } from "./pipeline/endpoint-tables";
export { behindModels, deploymentIn } from "./pipeline/path-model";
export { isMisplaced } from "./pipeline/unknown-path";
export { type BackgroundRuns, createBackgroundRuns } from "./responses/background-runs";

export type Gateway = {
  models: Methods;
  model: Methods;
  chatCompletions: Methods;
  completions: Methods;
  messages: Methods;
  countTokens: Methods;
  responses: Methods;
  response: Methods;
  responseInput: Methods;
  responseCancel: Methods;
  responseTokens: Methods;
  responseCompact: Methods;
  conversations: Methods;
  conversation: Methods;
  conversationItems: Methods;
  conversationItem: Methods;
  embeddings: Methods;
  images: Methods;
  imageEdits: Methods;
  speech: Methods;
  transcriptions: Methods;
  translations: Methods;
  rerank: Methods;
  moderations: Methods;
  deploymentChat: Methods;
  deploymentEmbeddings: Methods;
  videoTasks: Methods;
  videoTask: Methods;
  videoContent: Methods;
  videos: Methods;
  video: Methods;
  videoFile: Methods;
  videoRemix: Methods;
  usage: Methods;
  credits: Methods;
  key: Methods;
  subscription: Methods;
  spent: Methods;
  unknown: Methods;
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

/** `corsOrigins`: the origins whose pages may call; if empty, none may. */
export function createGateway(
  deps: EndpointDeps & GatewayDeps & { corsOrigins: readonly string[] },
): Gateway {
  const endpoints = createEndpoints(deps);
  if (deps.corsOrigins.length === 0) {
    return endpoints;
  }
  const cors = createCors(deps.corsOrigins);
  return Object.fromEntries(
    Object.entries(endpoints).map(([name, methods]) => [name, withCors(cors, methods)]),
  ) as Gateway;
}

/** For Azure's clients: the address names the model. */
const named = (run: (call: AuthedCall) => Promise<Reply>) => (call: AuthedCall) =>
  run({ ...call, pathModel: modelInPath(call.request) });

/** Moderations: OpenAI's clients name no model for them. */
const moderate =
  (deps: GatewayDeps) =>
  async (call: AuthedCall): Promise<Reply> =>
    await forwarded(deps, "moderations")({ ...call, pathModel: await usualModeration(deps, call) });

type PostOptions = { dialect?: "messages"; isFree?: boolean; forms?: Forms };

function createEndpoints(deps: EndpointDeps & GatewayDeps): Gateway {
  const table = createTable(deps);
  const unknown = endpoint(deps, {
    name: "unknown",
    access: "open",
    run: refusePath(deps),
  });

  /** An endpoint for POST with a key. Repeated calls with one Idempotency-Key are paid for once. */
  const post = (
    name: EndpointName,
    run: (call: AuthedCall) => Promise<Reply>,
    { isFree = false, forms = "never", ...more }: PostOptions = {},
  ): Methods =>
    table(name, {
      POST: endpoint(deps, {
        ...more,
        name,
        access: "key",
        run: isFree ? run : withIdempotencyKey(deps, run, forms),
      }),
    });

  /** An endpoint for the stored response of an earlier call. */
  const stored = (run: (call: AuthedCall) => Promise<Reply>) =>
    endpoint(deps, { name: "responses.stored", access: "key", run });

  const look = (run: typeof getModel) =>
    table("models", { GET: endpoint(deps, { name: "models", access: "open", run: run(deps) }) });
  const model = look(getModel);

  return {
    models: look(listModels),
    model: { ...model, POST: askModel(deps, unknown) },
    chatCompletions: post(
      "chat.completions",
      converse(deps, () => chatKind),
    ),
    completions: post("completions", named(converse(deps, () => completionsKind))),
    messages: post(
      "messages",
      converse(deps, (headers) => messagesKind(readMessagesHeaders(headers))),
      { dialect: "messages" },
    ),
    countTokens: post("messages.count_tokens", countMessagesTokens(deps), {
      dialect: "messages",
      isFree: true,
    }),
    responses: post("responses", named(createResponse(deps))),
    responseCompact: post("responses.compact", compactResponse(deps)),
    responseTokens: post("responses.input_tokens", countResponseTokens(deps), { isFree: true }),
    response: table("responses.stored", {
      GET: stored(retrieveResponse(deps)),
      DELETE: stored(deleteResponse(deps)),
    }),
    responseInput: table("responses.stored", { GET: stored(listInputItems(deps)) }),
    responseCancel: table("responses.stored", { POST: stored(cancelResponse(deps)) }),
    ...conversationTables(deps),
    embeddings: post("embeddings", embeddings(deps)),
    ...eachForwarded((name) => {
      const isHeard = name === "transcriptions" || name === "translations";
      const run = named(isHeard ? transcribe(deps, name) : forwarded(deps, name));
      return post(name, name === "moderations" ? moderate(deps) : run, { forms: formsOf(name) });
    }),
    deploymentChat: post("chat.completions", named(converse(deps, () => chatKind))),
    deploymentEmbeddings: post("embeddings", named(embeddings(deps))),
    ...videoTables(deps),
    ...openaiVideoTables(deps),
    ...balanceTables(deps),
    unknown: Object.fromEntries(methods.map((method) => [method, unknown])) as Methods,
  };
}
