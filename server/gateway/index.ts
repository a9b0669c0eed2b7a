/**
 * The gateway door: `/v1`. Knows the protocol and the order of a request's steps, and holds no business rules. Each
 * endpoint is a table of handlers by method, which the lean server and Next mount alike, and which the console calls
 * as one of its own keys: the pipeline is the same, but that its caller is known already.
 */

import { GatewayError } from "@/server/base/errors";
import type { EndpointName } from "@/server/base/facts";
import type { Reply } from "@/server/base/reply";
import { readMessagesHeaders } from "@/server/protocol/messages/headers";
import { type BalanceForm, tellBalance } from "./balance";
import type { Forms } from "./body";
import type { AuthedCall } from "./call";
import { converse } from "./conversation";
import { type Cors, createCors } from "./cors";
import { countMessagesTokens } from "./count-tokens";
import { embeddings } from "./embeddings";
import { type EndpointDeps, endpoint, type Handler } from "./endpoint";
import { eachForwarded, formsOf, forwarded } from "./forwarded";
import { askModel } from "./gemini";
import { getModel, listModels, usualModeration } from "./models";
import { once } from "./once";
import { createVideo, deleteVideo, listVideos, refuseEdit, retrieveVideo, videoFile } from "./openai-videos";
import type { GatewayDeps } from "./paid-call";
import { modelInPath } from "./path-model";
import { chatKind, completionsKind, messagesKind } from "./request-kinds";
import {
  cancelResponse,
  compactResponse,
  countResponseTokens,
  createResponse,
  deleteResponse,
  listInputItems,
  retrieveResponse,
} from "./responses";
import { conversationEndpoints } from "./stored-conversations";
import { transcribe } from "./transcriptions";
import { refusePath, refuseUnserved, refuseWebsocket } from "./unknown-path";
import { isSignedContentCall, ownVideoContent, signedVideoContent } from "./video-content";
import { submitVideo, videoStatus } from "./videos";

export { type BackgroundRuns, createBackgroundRuns } from "./background-runs";
export { servedTarget } from "./base-urls";
export { MAX_BODY_BYTES } from "./body";
export { type BodyBudget, type BodyBytes, createBodyBudget } from "./body-bytes";
export { behindModels, deploymentIn } from "./path-model";
export { isMisplaced } from "./unknown-path";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type Methods = Record<(typeof methods)[number], Handler>;

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

/** The same endpoint for pages of other origins, too. */
function withCors({ preflight, headersFor }: Cors, methods: Methods): Methods {
  const open =
    (handle: Handler): Handler =>
    async (request, peer, as) => {
      const asked = preflight(request);
      if (asked) {
        return asked;
      }
      const reply = await handle(request, peer, as);
      return { ...reply, headers: { ...reply.headers, ...headersFor(request) } };
    };
  return Object.fromEntries(
    Object.entries(methods).map(([method, handle]) => [method, open(handle)]),
  ) as Methods;
}

/** `corsOrigins`: whose pages may call; none may unless it says so. */
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

/** As Azure's clients call: the address names the model. */
const named = (run: (call: AuthedCall) => Promise<Reply>) => (call: AuthedCall) =>
  run({ ...call, pathModel: modelInPath(call.request) });

/** OpenAI's clients name no model for this. */
const moderate =
  (deps: GatewayDeps) =>
  async (call: AuthedCall): Promise<Reply> =>
    await forwarded(deps, "moderations")({ ...call, pathModel: await usualModeration(deps, call) });

type PostOptions = { dialect?: "messages"; isFree?: boolean; forms?: Forms };

type Table = (name: EndpointName, handlers: Partial<Methods>) => Methods;

function videoEndpoints(
  deps: EndpointDeps & GatewayDeps,
  table: Table,
): Pick<Gateway, "videoTasks" | "videoTask" | "videoContent"> {
  const content = "videos.content";
  const ownContent = endpoint(deps, { name: content, access: "key", run: ownVideoContent(deps) });
  const signedContent = endpoint(deps, { name: content, access: "open", run: signedVideoContent(deps) });
  return {
    videoTasks: table("videos.submit", {
      POST: endpoint(deps, {
        name: "videos.submit",
        access: "key",
        limit: (caller) => deps.access.limitVideos(caller, "submit"),
        run: submitVideo(deps),
      }),
    }),
    videoTask: table("videos.status", {
      GET: endpoint(deps, {
        name: "videos.status",
        access: "key",
        limit: (caller) => deps.access.limitVideos(caller, "status"),
        run: videoStatus(deps),
      }),
    }),
    videoContent: table(content, {
      GET: (request, peer, as) =>
        isSignedContentCall(request) ? signedContent(request, peer) : ownContent(request, peer, as),
    }),
  };
}

/** OpenAI's door to the same tasks, whose calls are limited with those of the other. */
function openaiVideoEndpoints(
  deps: EndpointDeps & GatewayDeps,
  table: Table,
): Pick<Gateway, "videos" | "video" | "videoFile" | "videoRemix"> {
  const keyed = (
    name: EndpointName,
    run: (call: AuthedCall) => Promise<Reply>,
    kind: "submit" | "status" | null,
  ): Handler =>
    endpoint(deps, {
      name,
      access: "key",
      ...(kind && { limit: (caller) => deps.access.limitVideos(caller, kind) }),
      run,
    });
  const refused = keyed("openai_videos.create", refuseEdit, null);
  return {
    videos: table("openai_videos.list", {
      POST: keyed("openai_videos.create", createVideo(deps), "submit"),
      GET: keyed("openai_videos.list", listVideos(deps), "status"),
    }),
    video: table("openai_videos.retrieve", {
      GET: keyed("openai_videos.retrieve", retrieveVideo(deps), "status"),
      DELETE: keyed("openai_videos.delete", deleteVideo(deps), "status"),
      // `/v1/videos/edits` and the like, for which this is the name of a video.
      POST: refused,
    }),
    videoFile: table("openai_videos.content", {
      GET: keyed("openai_videos.content", videoFile(deps), null),
    }),
    videoRemix: table("openai_videos.create", { POST: refused }),
  };
}

/** What is kept of conversations. */
function conversationTables(deps: EndpointDeps & GatewayDeps, table: Table) {
  const name = "conversations";
  const tableOf = (runs: Partial<Record<keyof Methods, (call: AuthedCall) => Promise<Reply>>>) =>
    table(
      name,
      Object.fromEntries(
        Object.entries(runs).map(([method, run]) => [method, endpoint(deps, { name, access: "key", run })]),
      ),
    );
  const { conversations, conversation, conversationItems, conversationItem } = conversationEndpoints(deps);
  return {
    conversations: tableOf(conversations),
    conversation: tableOf(conversation),
    conversationItems: tableOf(conversationItems),
    conversationItem: tableOf(conversationItem),
  };
}

/** A key's balance, for its holder. */
function balanceEndpoints(deps: EndpointDeps & GatewayDeps, table: Table): Record<BalanceForm, Methods> {
  const told = (form: BalanceForm) =>
    table("balance", {
      GET: endpoint(deps, { name: "balance", access: "key", run: tellBalance(deps, form) }),
    });
  return {
    usage: told("usage"),
    credits: told("credits"),
    key: told("key"),
    subscription: told("subscription"),
    spent: told("spent"),
  };
}

function createEndpoints(deps: EndpointDeps & GatewayDeps): Gateway {
  /** Every method answers in the envelope; those that are not given with 405. */
  const table = (name: EndpointName | "models", handlers: Partial<Methods>): Methods => {
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
    return Object.fromEntries(methods.map((method) => [method, handlers[method] ?? refuse])) as Methods;
  };

  const unknown = endpoint(deps, {
    name: "unknown",
    access: "open",
    run: refusePath(deps),
  });

  /** An endpoint that takes POST with a key, and is paid for once however often a call is repeated. */
  const post = (
    name: EndpointName,
    run: (call: AuthedCall) => Promise<Reply>,
    { isFree = false, forms = "never", ...more }: PostOptions = {},
  ): Methods =>
    table(name, {
      POST: endpoint(deps, { ...more, name, access: "key", run: isFree ? run : once(deps, run, forms) }),
    });

  /** What is kept of an earlier call. */
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
    ...conversationTables(deps, table),
    embeddings: post("embeddings", embeddings(deps)),
    ...eachForwarded((name) => {
      const isHeard = name === "transcriptions" || name === "translations";
      const run = named(isHeard ? transcribe(deps, name) : forwarded(deps, name));
      return post(name, name === "moderations" ? moderate(deps) : run, { forms: formsOf(name) });
    }),
    deploymentChat: post("chat.completions", named(converse(deps, () => chatKind))),
    deploymentEmbeddings: post("embeddings", named(embeddings(deps))),
    ...videoEndpoints(deps, table),
    ...openaiVideoEndpoints(deps, table),
    ...balanceEndpoints(deps, table),
    unknown: Object.fromEntries(methods.map((method) => [method, unknown])) as Methods,
  };
}
