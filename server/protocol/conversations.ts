/** The conversational dialects: each parser gives a call that can go to an upstream of any. */
import type { Dialect } from "./capabilities";
import { chatClient, toChat } from "./chat/dialect";
import { forwardChat } from "./chat/forward";
import { asksForCost, type ChatRequest, parseChatRequest } from "./chat/request";
import { completionClient } from "./completions/client";
import { parseCompletionRequest } from "./completions/request";
import { estimateInput } from "./estimate";
import { type Delivery, geminiClient, toGemini } from "./gemini/dialect";
import { estimateGemini } from "./gemini/estimate";
import { forwardGemini } from "./gemini/forward";
import { parseGeminiRequest } from "./gemini/request";
import { searchesOf } from "./gemini/tools-in";
import { keptCalls, NO_THINKING, type ThinkingOfCalls } from "./kept-thinking";
import { messagesClient, toMessages } from "./messages/dialect";
import { forwardMessages } from "./messages/forward";
import { parseMessagesRequest } from "./messages/request";
import { toMessagesOverflow } from "./overflow";
import type { Conversation } from "./pivot/conversation";
import { type ClientCall, planThroughPivot, type ToUpstream } from "./pivot/dialect";
import { promptPrefix } from "./prompt-prefix";
import { type ResponsesCall, responsesClient, toResponses } from "./responses/dialect";
import { forwardResponses } from "./responses/forward";
import { mostSearches } from "./searches";
import { mayHaveKept } from "./tool-ids";
import type { ConversationRequest, ForwardPlan, Terms, UpstreamModel } from "./upstream-plan";

const upstreams: Record<Dialect, ToUpstream> = {
  chat: toChat,
  messages: toMessages,
  responses: toResponses,
  gemini: toGemini,
};

/** A client's call, read once however many upstreams it is tried at. */
function readOnce(client: ClientCall): ClientCall {
  let read: Conversation | undefined;
  return {
    ...client,
    conversation: () => {
      read ??= client.conversation();
      return read;
    },
  };
}

const throughPivot =
  (client: ClientCall): ConversationRequest["planFor"] =>
  (upstream, terms) =>
    planThroughPivot(client, upstreams[upstream.dialect](client.conversation(), upstream, terms));

/** A call that stays in its dialect is forwarded; any other goes through the pivot. */
const planWith =
  (
    own: Dialect,
    client: ClientCall,
    forward: (upstream: UpstreamModel, terms: Terms) => ForwardPlan,
  ): ConversationRequest["planFor"] =>
  (upstream, terms) => {
    const translated = () => throughPivot(client)(upstream, terms);
    return upstream.dialect === own
      ? { ...forward(upstream, terms), otherForm: () => translated().otherForm() }
      : translated();
  };

/**
 * POST /v1/chat/completions (spec 4.2). `inputTokens`: the estimate, where it is known. Throws the 400s of spec
 * section 7.
 */
export function parseChatConversation(raw: string, inputTokens?: number): ConversationRequest {
  const request = parseChatRequest(raw);
  const calls = mayHaveKept(raw) ? keptCalls(request.fields.messages) : [];
  return chatConversation(request, {
    inputTokens: inputTokens ?? estimateInput(request.fields),
    ...(calls.length > 0 && { keptCalls: calls }),
  });
}

/** `thinking`: what was kept of its calls. */
function chatConversation(
  request: ChatRequest,
  known: Pick<ConversationRequest, "inputTokens" | "keptCalls">,
  thinking: ThinkingOfCalls = NO_THINKING,
): ConversationRequest {
  return {
    ...request,
    ...known,
    withThinking: (kept) => chatConversation(request, known, kept),
    units: mostSearches(request.fields),
    prefix: () =>
      promptPrefix(request.fields, {
        tools: request.fields.tools ?? request.fields.functions,
        system: null,
        turns: request.fields.messages,
      }),
    planFor: planWith("chat", readOnce(chatClient(request, thinking)), (upstream, terms) =>
      forwardChat(request, upstream, terms),
    ),
    rewordRefusal: (words) => words,
  };
}

/**
 * POST /v1/messages (spec 4.3). `headers`: those that are a part of the call. As above. Throws the 400s of spec
 * section 7.
 */
export function parseMessagesConversation(
  raw: string,
  { headers, inputTokens }: { headers: Record<string, string>; inputTokens?: number | undefined },
): ConversationRequest {
  const request = parseMessagesRequest(raw);
  return {
    ...request,
    choices: 1,
    inputTokens: inputTokens ?? estimateInput(request.fields),
    units: mostSearches(request.fields),
    wantsCost: asksForCost(request.fields),
    prefix: () => {
      const { tools, system, messages: turns } = request.fields;
      return promptPrefix(request.fields, { tools, system, turns });
    },
    planFor: planWith("messages", readOnce(messagesClient(request)), (upstream, terms) =>
      forwardMessages({ request, headers }, upstream, terms),
    ),
    rewordRefusal: toMessagesOverflow,
  };
}

/** POST /v1/completions (spec 4.11): a text is the only turn of a conversation. As above. */
export function parseCompletion(raw: string, inputTokens?: number): ConversationRequest {
  const request = parseCompletionRequest(raw);
  const { model, isStream, maxOutputTokens, wantsCost } = request;
  const client = readOnce(completionClient(request));
  return {
    ...{ model, isStream, maxOutputTokens, wantsCost, choices: 1, units: undefined },
    inputTokens: inputTokens ?? estimateInput({ messages: [{ role: "user", content: request.prompt }] }),
    prefix: () => promptPrefix(request.fields, { tools: null, system: null, turns: request.prompt }),
    planFor: throughPivot(client),
    rewordRefusal: (words) => words,
  };
}

/** POST /v1/responses, once it is known what it refers to. `inputTokens`: our estimate of the whole conversation. */
export function responsesConversation(call: ResponsesCall, inputTokens: number): ConversationRequest {
  const { model, isStream, maxOutputTokens } = call.request;
  return {
    model,
    isStream,
    maxOutputTokens,
    choices: 1,
    inputTokens,
    units: mostSearches(call.request.fields),
    wantsCost: asksForCost(call.request.fields),
    prefix: () => {
      const { tools, instructions: system } = call.request.fields;
      return promptPrefix(call.request.fields, { tools, system, turns: call.items });
    },
    planFor: planWith("responses", readOnce(responsesClient(call)), (upstream, terms) =>
      forwardResponses(call, upstream, terms),
    ),
    rewordRefusal: (words) => words,
  };
}

/**
 * `generateContent` and `streamGenerateContent` of Google's API, whose address names the model. `inputTokens`: the
 * estimate, where it is known. Throws the 400s of spec section 7.
 */
export function parseGeminiConversation(
  raw: string,
  { model, delivery }: { model: string; delivery: Delivery },
  inputTokens?: number,
): ConversationRequest {
  const request = parseGeminiRequest(raw);
  return {
    model,
    isStream: delivery !== "whole",
    maxOutputTokens: request.maxOutputTokens,
    choices: request.choices,
    inputTokens: inputTokens ?? estimateGemini(request),
    units: mostSearches({ tools: searchesOf(request.sent) }),
    // Google has no member for it.
    wantsCost: false,
    prefix: () => {
      const { tools, systemInstruction: system } = request.sent;
      return promptPrefix(request.sent, { tools, system, turns: request.contents });
    },
    planFor: planWith("gemini", readOnce(geminiClient(request, delivery)), (upstream, terms) =>
      forwardGemini({ request, delivery }, upstream, terms),
    ),
    rewordRefusal: (words) => words,
  };
}
