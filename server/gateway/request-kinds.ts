/** The kinds of body: how each is parsed, and what of it must be known before the call is paid for, as plain data. */

import {
  parseChatConversation,
  parseCompletion,
  parseGeminiConversation,
  parseMessagesConversation,
} from "@/server/protocol/conversations";
import { type EmbeddingsRequest, parseEmbeddingsRequest } from "@/server/protocol/embeddings/request";
import { forwardedEndpoints } from "@/server/protocol/forwarded/endpoints";
import {
  type ForwardedRequest,
  type KnownForwarded,
  parseForwarded,
} from "@/server/protocol/forwarded/forwarded";
import type { Delivery } from "@/server/protocol/gemini/dialect";
import { type GeminiEmbeddings, parseGeminiEmbeddings } from "@/server/protocol/gemini/embeddings";
import { estimateGemini } from "@/server/protocol/gemini/estimate";
import { parsePrediction } from "@/server/protocol/gemini/predict";
import { parseGeminiCount } from "@/server/protocol/gemini/request";
import { type CountRequest, parseCountRequest } from "@/server/protocol/messages/count-request";
import { summaryBody } from "@/server/protocol/responses/compaction";
import { estimateItems, estimateRest } from "@/server/protocol/responses/estimate";
import { parseResponsesRequest, type ResponsesRequest } from "@/server/protocol/responses/request";
import { mostSearches } from "@/server/protocol/searches";
import type { ConversationRequest } from "@/server/protocol/upstream-plan";
import { parseOpenaiVideo } from "@/server/protocol/videos/openai-request";
import { parseVideoRequest, type VideoRequest } from "@/server/protocol/videos/request";

type ForwardedName = keyof typeof forwardedEndpoints;

export type KindName =
  | "chat"
  | "completions"
  | "messages"
  | "responses"
  | "compaction"
  | "countTokens"
  | "embeddings"
  | "videos"
  | "openaiVideos"
  | ForwardedName
  | "gemini"
  | "geminiCount"
  | "geminiEmbeddings"
  | "geminiPrediction";

export type RequestKind<Known, Parsed extends Known> = {
  name: KindName;
  /** Throws the 400s of spec section 7. `known`: of the same text, from an earlier time. */
  parse: (raw: string, known?: Known) => Parsed;
};

export type KnownConversation = Pick<
  ConversationRequest,
  "model" | "isStream" | "maxOutputTokens" | "choices" | "readings" | "inputTokens" | "units" | "keptCalls"
>;

export const chatKind: RequestKind<KnownConversation, ConversationRequest> = {
  name: "chat",
  parse: (raw, known) => parseChatConversation(raw, known?.inputTokens),
};

export const completionsKind: RequestKind<KnownConversation, ConversationRequest> = {
  name: "completions",
  parse: (raw, known) => parseCompletion(raw, known?.inputTokens),
};

/** `headers`: those that are a part of the call. */
export const messagesKind = (
  headers: Record<string, string>,
): RequestKind<KnownConversation, ConversationRequest> => ({
  name: "messages",
  parse: (raw, known) => parseMessagesConversation(raw, { headers, inputTokens: known?.inputTokens }),
});

/** `model`, `delivery`: of the address, and not known from the body. */
export const geminiKind = (address: {
  model: string;
  delivery: Delivery;
}): RequestKind<KnownConversation, ConversationRequest> => ({
  name: "gemini",
  parse: (raw, known) => parseGeminiConversation(raw, address, known?.inputTokens),
});

/** `inputTokens`: our estimate of what is to be counted. */
export const geminiCountKind: RequestKind<{ inputTokens: number }, { inputTokens: number }> = {
  name: "geminiCount",
  parse: (raw, known) => known ?? { inputTokens: estimateGemini(parseGeminiCount(raw)) },
};

/** `model`: of the address, and not known from the body. */
export const geminiEmbeddingsKind = (model: string): RequestKind<KnownEmbeddings, GeminiEmbeddings> => ({
  name: "geminiEmbeddings",
  parse: (raw) => parseGeminiEmbeddings(raw, model),
});

/** Likewise. */
export const geminiPredictionKind = (model: string): RequestKind<KnownForwarded, ForwardedRequest> => ({
  name: "geminiPrediction",
  parse: (raw, known) => parsePrediction(raw, model, known?.asked),
});

type KnownResponses = KnownConversation & Pick<ResponsesRequest, "isBackground" | "isStored" | "referred">;

/** `inputTokens`: of what the body itself holds. */
export const responsesKind: RequestKind<KnownResponses, KnownResponses & ResponsesRequest> = {
  name: "responses",
  parse: (raw, known) => {
    const request = parseResponsesRequest(raw);
    const inputTokens = known?.inputTokens ?? estimateItems(request.input) + estimateRest(request.fields);
    return { ...request, choices: 1, readings: 1, inputTokens, units: mostSearches(request.fields) };
  },
};

/** Of a conversation that is to be made shorter: the call for its summary. */
export const compactionKind: typeof responsesKind = {
  name: "compaction",
  parse: (raw, known) => responsesKind.parse(summaryBody(raw), known),
};

type KnownEmbeddings = Omit<EmbeddingsRequest, "raw">;

export const embeddingsKind: RequestKind<KnownEmbeddings, EmbeddingsRequest> = {
  name: "embeddings",
  parse: (raw, known) => (known ? { ...known, raw } : parseEmbeddingsRequest(raw)),
};

type KnownCount = Omit<CountRequest, "raw">;

export const countKind: RequestKind<KnownCount, CountRequest> = {
  name: "countTokens",
  parse: (raw, known) => (known ? { ...known, raw } : parseCountRequest(raw)),
};

export const videosKind: RequestKind<VideoRequest, VideoRequest> = {
  name: "videos",
  parse: (raw, known) => known ?? parseVideoRequest(raw),
};

export const openaiVideosKind: RequestKind<VideoRequest, VideoRequest> = {
  name: "openaiVideos",
  parse: (raw, known) => known ?? parseOpenaiVideo(raw),
};

export const forwardedKind = (name: ForwardedName): RequestKind<KnownForwarded, ForwardedRequest> => ({
  name,
  parse: (raw, known) => parseForwarded(raw, forwardedEndpoints[name].read, known?.asked),
});

const isForwarded = (name: KindName): name is ForwardedName => Object.hasOwn(forwardedEndpoints, name);

const isConversation = (name: KindName): name is "chat" | "completions" | "messages" | "gemini" =>
  ["chat", "completions", "messages", "gemini"].includes(name);

const knownConversation = (parsed: KnownConversation): KnownConversation => {
  const { model, isStream, maxOutputTokens, choices, readings, inputTokens, units, keptCalls } = parsed;
  const known = { model, isStream, maxOutputTokens, choices, readings, inputTokens, units };
  return { ...known, ...(keptCalls && { keptCalls }) };
};

/** What a thread may tell of a body: everything that is known but what can be had from the text again. */
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
    const { raw: _asked, isBatch: _batch, ...known } = geminiEmbeddingsKind("-").parse(raw);
    return known;
  }
  if (name === "geminiPrediction") {
    const { model, asked } = geminiPredictionKind("-").parse(raw);
    return { model, asked } satisfies KnownForwarded;
  }
  if (name === "responses" || name === "compaction") {
    const kind = name === "responses" ? responsesKind : compactionKind;
    const { isBackground, isStored, referred, ...parsed } = kind.parse(raw);
    const known = { isBackground, isStored, referred };
    return { ...knownConversation(parsed), ...known } satisfies KnownResponses;
  }
  if (name === "videos" || name === "openaiVideos") {
    return (name === "videos" ? videosKind : openaiVideosKind).parse(raw);
  }
  if (isForwarded(name)) {
    const { model, asked } = forwardedKind(name).parse(raw);
    return { model, asked } satisfies KnownForwarded;
  }
  const { raw: _text, ...known } = name === "embeddings" ? embeddingsKind.parse(raw) : countKind.parse(raw);
  return known;
}
