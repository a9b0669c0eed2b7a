/** The kinds of body: how each is parsed, and the facts that are needed before the call is paid for, as plain data. */

import { type ReadName, readEndpoints } from "@/server/endpoints";
import { parseChatConversation } from "@/server/protocol/chat/conversation";
import { parseCompletion } from "@/server/protocol/completions/conversation";
import { type EmbeddingsRequest, parseEmbeddingsRequest } from "@/server/protocol/embeddings/request";
import { readLargeChat } from "@/server/protocol/folded-chat";
import {
  type ForwardedReader,
  type ForwardedRequest,
  type KnownForwarded,
  parseForwarded,
} from "@/server/protocol/forwarded/forwarded";
import { parseGeminiConversation } from "@/server/protocol/gemini/conversation";
import type { DeliveryMode } from "@/server/protocol/gemini/dialect";
import { type GeminiEmbeddings, parseGeminiEmbeddings } from "@/server/protocol/gemini/embeddings";
import { estimateGemini } from "@/server/protocol/gemini/estimate";
import { parsePrediction } from "@/server/protocol/gemini/predict";
import { parseGeminiCount } from "@/server/protocol/gemini/request";
import { type JsonSource, rawOf } from "@/server/protocol/json/text";
import { parseMessagesConversation } from "@/server/protocol/messages/conversation";
import { type CountRequest, parseCountRequest } from "@/server/protocol/messages/count-request";
import { summaryBody } from "@/server/protocol/responses/compaction";
import { type ConversationBody, conversationBodies } from "@/server/protocol/responses/conversation-request";
import { estimateItems, estimateRest } from "@/server/protocol/responses/estimate";
import { parseResponsesRequest, type ResponsesRequest } from "@/server/protocol/responses/request";
import type { ConversationRequest } from "@/server/protocol/upstream-plan";
import { mostSearches } from "@/server/protocol/usage/searches";
import { tiersFor } from "@/server/protocol/usage/standard-terms";
import { parseOpenaiVideo } from "@/server/protocol/videos/openai-request";
import { parseVideoRequest, type VideoRequest } from "@/server/protocol/videos/request";

type ConversationBodyName = keyof typeof conversationBodies;

export type KindName =
  | "chat"
  | "completions"
  | "messages"
  | "responses"
  | "compaction"
  | ConversationBodyName
  | "countTokens"
  | "embeddings"
  | "videos"
  | "openaiVideos"
  | ReadName
  | "gemini"
  | "geminiCount"
  | "geminiEmbeddings"
  | "geminiPrediction";

export type RequestKind<Known, Parsed extends Known> = {
  name: KindName;
  /** Throws the 400s of spec section 7. `facts`: the facts of the same text, from an earlier reading. */
  parse: (source: JsonSource, facts?: Known) => Parsed;
  /** The body is parsed even if `facts` is given. Absent: its text is then enough. */
  isReadAgain?: true;
  /** Reads a large body in steps, without a thread. null: it takes a thread. Left out: so do all. */
  readLarge?: (body: Buffer) => Generator<void, Parsed | null>;
};

export type KnownConversation = Pick<
  ConversationRequest,
  | "model"
  | "isStream"
  | "maxOutputTokens"
  | "choices"
  | "readings"
  | "inputTokens"
  | "units"
  | "tiers"
  | "keptCalls"
>;

export const chatKind: RequestKind<KnownConversation, ConversationRequest> = {
  name: "chat",
  isReadAgain: true,
  parse: (source, facts) => parseChatConversation(source, facts?.inputTokens),
  readLarge: readLargeChat,
};

export const completionsKind: RequestKind<KnownConversation, ConversationRequest> = {
  name: "completions",
  isReadAgain: true,
  parse: (source, facts) => parseCompletion(source, facts?.inputTokens),
};

/** `headers`: the headers that are a part of the call. */
export const messagesKind = (
  headers: Record<string, string>,
): RequestKind<KnownConversation, ConversationRequest> => ({
  name: "messages",
  isReadAgain: true,
  parse: (source, facts) => parseMessagesConversation(source, { headers, inputTokens: facts?.inputTokens }),
});

/** `model` and `delivery` come from the address, not from the body. */
export const geminiKind = (address: {
  model: string;
  delivery: DeliveryMode;
}): RequestKind<KnownConversation, ConversationRequest> => ({
  name: "gemini",
  isReadAgain: true,
  parse: (source, facts) => parseGeminiConversation(source, address, facts?.inputTokens),
});

/** `inputTokens`: our estimate of the tokens to count. */
export const geminiCountKind: RequestKind<{ inputTokens: number }, { inputTokens: number }> = {
  name: "geminiCount",
  parse: (source, facts) => facts ?? { inputTokens: estimateGemini(parseGeminiCount(source)) },
};

/** `model` comes from the address, not from the body. */
export const geminiEmbeddingsKind = (model: string): RequestKind<KnownEmbeddings, GeminiEmbeddings> => ({
  name: "geminiEmbeddings",
  parse: (source) => parseGeminiEmbeddings(rawOf(source), model),
});

/** `model` comes from the address here as well. */
export const geminiPredictionKind = (model: string): RequestKind<KnownForwarded, ForwardedRequest> => ({
  name: "geminiPrediction",
  parse: (source, facts) => parsePrediction(rawOf(source), model, facts?.billableParts),
});

type KnownResponses = KnownConversation & Pick<ResponsesRequest, "isBackground" | "isStored" | "referred">;

/** A response with the members that the hold needs. `inputTokens`: of the body alone. */
export const payableResponse = (
  request: ResponsesRequest,
  inputTokens: number,
): KnownResponses & ResponsesRequest => ({
  ...request,
  ...{ choices: 1, readings: 1, inputTokens, units: mostSearches(request.fields) },
  tiers: tiersFor(request.fields),
});

export const responsesKind: RequestKind<KnownResponses, KnownResponses & ResponsesRequest> = {
  name: "responses",
  isReadAgain: true,
  parse: (source, facts) => {
    const request = parseResponsesRequest(source);
    const inputTokens = facts?.inputTokens ?? estimateItems(request.input) + estimateRest(request.fields);
    return payableResponse(request, inputTokens);
  },
};

/** The compaction of a conversation: the call for its summary. */
export const compactionKind: typeof responsesKind = {
  name: "compaction",
  isReadAgain: true,
  parse: (source, facts) => responsesKind.parse(summaryBody(source), facts),
};

/** A body of a stored conversation. Nothing is bought, so no facts are needed before the body is read. */
export const conversationKind = (name: ConversationBodyName): RequestKind<object, ConversationBody> => ({
  name,
  isReadAgain: true,
  parse: conversationBodies[name],
});

const isConversationBody = (name: KindName): name is ConversationBodyName =>
  Object.hasOwn(conversationBodies, name);

type KnownEmbeddings = Omit<EmbeddingsRequest, "raw">;

export const embeddingsKind: RequestKind<KnownEmbeddings, EmbeddingsRequest> = {
  name: "embeddings",
  parse: (source, facts) =>
    facts ? { ...facts, raw: rawOf(source) } : parseEmbeddingsRequest(rawOf(source)),
};

type KnownCount = Omit<CountRequest, "raw">;

export const countKind: RequestKind<KnownCount, CountRequest> = {
  name: "countTokens",
  parse: (source, facts) => (facts ? { ...facts, raw: rawOf(source) } : parseCountRequest(rawOf(source))),
};

export const videosKind: RequestKind<VideoRequest, VideoRequest> = {
  name: "videos",
  parse: (source, facts) => facts ?? parseVideoRequest(rawOf(source)),
};

export const openaiVideosKind: RequestKind<VideoRequest, VideoRequest> = {
  name: "openaiVideos",
  parse: (source, facts) => facts ?? parseOpenaiVideo(rawOf(source)),
};

export const forwardedKind = ({
  name,
  read,
}: {
  name: ReadName;
  read: ForwardedReader["read"];
}): RequestKind<KnownForwarded, ForwardedRequest> => ({
  name,
  isReadAgain: true,
  parse: (source, facts) => parseForwarded(source, read, facts?.billableParts),
});

const isConversation = (name: KindName): name is "chat" | "completions" | "messages" | "gemini" =>
  ["chat", "completions", "messages", "gemini"].includes(name);

const knownConversation = (parsed: KnownConversation): KnownConversation => {
  const { model, isStream, maxOutputTokens, choices, readings, inputTokens, units, tiers, keptCalls } =
    parsed;
  const facts = { model, isStream, maxOutputTokens, choices, readings, inputTokens, units, tiers };
  return { ...facts, ...(keptCalls && { keptCalls }) };
};

/** The facts of a body that a thread returns: all except those that can be read from the text again. */
export function knownOf(name: KindName, raw: string): unknown {
  if (isConversation(name)) {
    const gemini = geminiKind({ model: "", delivery: "whole" });
    const kind = { chat: chatKind, completions: completionsKind, messages: messagesKind({}), gemini }[name];
    return knownConversation(kind.parse(raw));
  }
  if (name === "geminiCount") {
    return geminiCountKind.parse(raw);
  }
  if (name === "geminiEmbeddings") {
    const { raw: _asked, isBatch: _batch, ...facts } = geminiEmbeddingsKind("-").parse(raw);
    return facts;
  }
  if (name === "geminiPrediction") {
    const { model, billableParts } = geminiPredictionKind("-").parse(raw);
    return { model, billableParts } satisfies KnownForwarded;
  }
  if (name === "responses" || name === "compaction") {
    const kind = name === "responses" ? responsesKind : compactionKind;
    const { isBackground, isStored, referred, ...parsed } = kind.parse(raw);
    const facts = { isBackground, isStored, referred };
    return { ...knownConversation(parsed), ...facts } satisfies KnownResponses;
  }
  if (isConversationBody(name)) {
    conversationKind(name).parse(raw);
    return {};
  }
  if (name === "videos" || name === "openaiVideos") {
    return (name === "videos" ? videosKind : openaiVideosKind).parse(raw);
  }
  const forwarded = readEndpoints.find((endpoint) => endpoint.name === name);
  if (forwarded) {
    const { model, billableParts } = forwardedKind(forwarded).parse(raw);
    return { model, billableParts } satisfies KnownForwarded;
  }
  const { raw: _text, ...rest } = name === "embeddings" ? embeddingsKind.parse(raw) : countKind.parse(raw);
  return rest;
}
