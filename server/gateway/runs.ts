/** The function that answers each call of the list of endpoints. */
import type { Eventual } from "@/server/base/eventual";
import type { Reply } from "@/server/base/reply";
import { type EndpointId, readEndpoints } from "@/server/endpoints";
import { readMessagesHeaders } from "@/server/protocol/messages/headers";
import { tellBalance } from "./balance";
import { countMessagesTokens } from "./count-tokens";
import { geminiRuns } from "./gemini";
import { embeddings } from "./media/embeddings";
import { forwarded } from "./media/forwarded";
import { transcribe } from "./media/transcriptions";
import { getModel, listModels, usualModeration } from "./models";
import type { AuthedCall } from "./pipeline/call";
import { converse } from "./pipeline/conversation";
import type { GatewayDeps } from "./pipeline/gateway-deps";
import { chatKind, completionsKind, messagesKind } from "./pipeline/request-kinds";
import {
  cancelResponse,
  compactResponse,
  countResponseTokens,
  createResponse,
  deleteResponse,
  getResponse,
  listResponseInput,
} from "./responses/responses";
import { conversationRuns } from "./responses/stored-conversations";
import {
  createVideo,
  deleteVideo,
  getVideo,
  getVideoContent,
  listVideos,
  refuseEdit,
} from "./videos/openai-videos";
import { ownVideoContent } from "./videos/video-content";
import { getVideoTask, submitVideoTask } from "./videos/videos";

/** Answers a call with a key. */
export type Run = (call: AuthedCall) => Eventual<Reply>;

type ReadId = (typeof readEndpoints)[number]["id"];
type OpenId = "listModels" | "getModel";

/** The calls that are not forwarded by their declaration alone. */
const ownRuns: Record<Exclude<EndpointId, OpenId | ReadId>, (deps: GatewayDeps) => Run> = {
  createChatCompletion: (deps) => converse(deps, () => chatKind),
  createMessage: (deps) => converse(deps, (headers) => messagesKind(readMessagesHeaders(headers))),
  countMessageTokens: countMessagesTokens,
  createCompletion: (deps) => converse(deps, () => completionsKind),
  createResponse,
  compactResponse,
  countResponseTokens,
  getResponse,
  deleteResponse,
  listResponseInput,
  cancelResponse,
  ...conversationRuns,
  createEmbeddings: embeddings,
  createTranscription: (deps) => transcribe(deps, "transcriptions"),
  createTranslation: (deps) => transcribe(deps, "translations"),
  submitVideoTask,
  getVideoTask,
  getVideoTaskContent: ownVideoContent,
  createVideo,
  listVideos,
  getVideo,
  deleteVideo,
  getVideoContent,
  remixVideo: () => refuseEdit,
  editVideo: () => refuseEdit,
  ...geminiRuns,
  getUsage: (deps) => tellBalance(deps, "usage"),
  getCredits: (deps) => tellBalance(deps, "credits"),
  getCurrentKey: (deps) => tellBalance(deps, "key"),
  getCurrentKeyByOldPath: (deps) => tellBalance(deps, "key"),
  getBillingSubscription: (deps) => tellBalance(deps, "subscription"),
  getBillingUsage: (deps) => tellBalance(deps, "spent"),
};

const isOwn = (id: EndpointId): id is keyof typeof ownRuns => Object.hasOwn(ownRuns, id);

/** The function that answers a call with a key. */
export function runOf(deps: GatewayDeps, id: EndpointId): Run {
  if (isOwn(id)) {
    return ownRuns[id](deps);
  }
  const endpoint = readEndpoints.find((each) => each.id === id);
  if (!endpoint) {
    throw new Error(`nothing answers ${id}`);
  }
  const run = forwarded(deps, endpoint);
  // OpenAI's clients name no model for moderations.
  return endpoint.id === "createModeration"
    ? async (call) => await run(Object.assign(call, { pathModel: await usualModeration(deps, call) }))
    : run;
}

/** The functions that answer calls without a key. */
export const openRuns = { listModels, getModel } as const satisfies Record<OpenId, unknown>;
