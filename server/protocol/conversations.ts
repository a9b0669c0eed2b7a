/** The two conversational dialects: each parser gives a call that can go to an upstream of either. */
import { limitField } from "./capabilities";
import { readChatAnswer } from "./chat/answer";
import { ChatReader } from "./chat/reader";
import { type ChatRequest, parseChatRequest } from "./chat/request";
import { ChatWriter } from "./chat/writer";
import { toChatCompletion } from "./chat-to-messages/answer";
import { toMessagesRequest } from "./chat-to-messages/request";
import { MessagesAsChatWriter } from "./chat-to-messages/writer";
import { estimateInput } from "./estimate";
import { isJsonObject, type JsonObject } from "./fields";
import { setMembers } from "./json-splice";
import { readMessagesAnswer } from "./messages/answer";
import { withoutUnsignedThinking } from "./messages/history";
import { MessagesReader } from "./messages/reader";
import { type MessagesRequest, parseMessagesRequest } from "./messages/request";
import { messagesWriter } from "./messages/writer";
import { toMessage } from "./messages-to-chat/answer";
import { toChatRequest } from "./messages-to-chat/request";
import { ChatAsMessagesWriter } from "./messages-to-chat/writer";
import { toMessagesOverflow } from "./overflow";
import { standardBetas, standardTerms } from "./standard-terms";
import {
  type ConversationRequest,
  type Counted,
  joinStream,
  type Terms,
  type UpstreamModel,
  type UpstreamPlan,
  unlessTooDeep,
} from "./upstream-plan";

/** The version that still knows sampling parameters; the one that we translate into. */
const TRANSLATED_VERSION = { "anthropic-version": "2023-06-01" };

/** An answer that was read, as the client's body. `write` gives null for what its dialect has no words for. */
function inClientWords<Read extends Counted>(
  read: Read | null,
  write: (read: Read) => string | null,
): ReturnType<UpstreamPlan["readAnswer"]> {
  const body = read && unlessTooDeep(() => write(read));
  if (!read || body === null) {
    return read ? "unusable" : "malformed";
  }
  const { usage, source, hasOtherModel } = read;
  return { usage, source, ...(hasOtherModel && { hasOtherModel }), body };
}

/** The output limit, where this upstream knows it only by its other name: by that it would not be held. */
function movedLimit({ fields }: ChatRequest, { capabilities }: UpstreamModel) {
  const wanted = capabilities.outputTokenField;
  const other = wanted === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  if (wanted === null || typeof fields[other] !== "number" || typeof fields[wanted] === "number") {
    return { values: {}, renamed: {} };
  }
  // A null that stands under the wanted name gives way: two of one name are for each parser to choose from.
  return Object.hasOwn(fields, wanted)
    ? { values: { [wanted]: fields[other], [other]: null }, renamed: {} }
    : { values: {}, renamed: { [other]: wanted } };
}

/** The lower limit under each name that the client's stands under; under the upstream's where it named none. */
function cappedLimits({ fields }: ChatRequest, upstream: UpstreamModel, terms: Terms): JsonObject {
  if (!terms.isCapped) {
    return {};
  }
  const wanted = upstream.capabilities.outputTokenField;
  const named = (["max_tokens", "max_completion_tokens"] as const).filter(
    (name) => typeof fields[name] === "number",
  );
  const names = wanted !== null && named.length === 1 ? [wanted] : named;
  const capOf = (limit: unknown) =>
    typeof limit === "number" ? Math.min(limit, terms.maxOutputTokens) : terms.maxOutputTokens;
  return names.length === 0
    ? { [limitField(upstream)]: terms.maxOutputTokens }
    : Object.fromEntries(names.map((name) => [name, capOf(fields[name])]));
}

/**
 * A chat call that stays in its dialect: every field as the client sent it, but for the few that are ours or dearer.
 */
function chatToChat(request: ChatRequest, upstream: UpstreamModel, terms: Terms): UpstreamPlan {
  const { fields, isStream, wantsUsage } = request;
  const { reasoningTokens } = upstream.capabilities;
  const options = fields.stream_options;
  const limit = movedLimit(request, upstream);
  return {
    operation: "chat",
    headers: {},
    body: setMembers(
      request,
      {
        ...limit.values,
        ...(!upstream.capabilities.premiumTiers && standardTerms(fields, upstream)),
        model: upstream.name,
        // Billing needs the upstream's own count; the client sees it only if it asked.
        stream_options: isStream
          ? { ...(typeof options === "object" ? options : {}), include_usage: true }
          : undefined,
        ...cappedLimits(request, upstream, terms),
      },
      limit.renamed,
    ),
    readAnswer: (answer, context) =>
      inClientWords(readChatAnswer(answer, context, reasoningTokens), (read) => JSON.stringify(read.answer)),
    openStream: (context) =>
      joinStream(new ChatReader(context, reasoningTokens), new ChatWriter({ wantsUsage })),
  };
}

function chatToMessages(request: ChatRequest, upstream: UpstreamModel, terms: Terms): UpstreamPlan {
  const { wantsUsage } = request;
  const translated = toMessagesRequest(request.fields, upstream, terms);
  return {
    operation: "messages",
    headers: TRANSLATED_VERSION,
    body: JSON.stringify(translated.body),
    readAnswer: (answer, context) =>
      inClientWords(readMessagesAnswer(answer, context), (read) =>
        toChatCompletion(read.answer, read, { context, request: translated }),
      ),
    openStream: (context) =>
      joinStream(
        new MessagesReader(context),
        new MessagesAsChatWriter({ context, request: translated, wantsUsage }),
      ),
  };
}

const MIN_THINKING_BUDGET = 1_024;

/** The limit that the upstream is told, and a budget of thinking below it, which this dialect's vendors insist on. */
function cappedMessages({ fields, maxOutputTokens }: MessagesRequest, terms: Terms): JsonObject {
  const limit = terms.maxOutputTokens;
  if (maxOutputTokens !== null && !terms.isCapped) {
    return {};
  }
  const { thinking } = fields;
  const isOverBudget =
    isJsonObject(thinking) && typeof thinking.budget_tokens === "number" && thinking.budget_tokens >= limit;
  return {
    max_tokens: limit,
    ...(isOverBudget &&
      limit > MIN_THINKING_BUDGET && { thinking: { ...thinking, budget_tokens: limit - 1 } }),
  };
}

/** `headers`: the client's version and betas, which mean something to a vendor of this dialect. */
function messagesToMessages(
  { request, headers }: MessagesCall,
  upstream: UpstreamModel,
  terms: Terms,
): UpstreamPlan {
  const { fields } = request;
  const { echoesThinking, premiumTiers } = upstream.capabilities;
  return {
    operation: "messages",
    headers: premiumTiers ? headers : standardBetas(headers),
    body: setMembers(request, {
      ...(!premiumTiers && standardTerms(fields, upstream)),
      model: upstream.name,
      // This dialect's vendors refuse a call without a limit.
      ...cappedMessages(request, terms),
      ...(!echoesThinking && withoutUnsignedThinking(fields)),
    }),
    readAnswer: (answer, context) =>
      inClientWords(readMessagesAnswer(answer, context), (read) => JSON.stringify(read.answer)),
    openStream: (context) => joinStream(new MessagesReader(context), messagesWriter),
  };
}

function messagesToChat({ request }: MessagesCall, upstream: UpstreamModel, terms: Terms): UpstreamPlan {
  const { reasoningTokens } = upstream.capabilities;
  const { body, names } = toChatRequest(request.fields, upstream, terms);
  return {
    operation: "chat",
    headers: {},
    body: JSON.stringify(body),
    readAnswer: (answer, context) =>
      inClientWords(readChatAnswer(answer, context, reasoningTokens), (read) =>
        toMessage(read.answer, read, { context, names }),
      ),
    openStream: (context) =>
      joinStream(new ChatReader(context, reasoningTokens), new ChatAsMessagesWriter({ context, names })),
  };
}

/**
 * POST /v1/chat/completions (spec 4.2). `inputTokens`: the estimate, where it is known. Throws the 400s of spec
 * section 7.
 */
export function parseChatConversation(raw: string, inputTokens?: number): ConversationRequest {
  const request = parseChatRequest(raw);
  return {
    ...request,
    inputTokens: inputTokens ?? estimateInput(request.fields),
    planFor: (upstream, terms) =>
      upstream.dialect === "chat"
        ? chatToChat(request, upstream, terms)
        : chatToMessages(request, upstream, terms),
    rewordRefusal: (words) => words,
  };
}

type MessagesCall = { request: MessagesRequest; headers: Record<string, string> };

/**
 * POST /v1/messages (spec 4.3). `headers`: those that are a part of the call. As above. Throws the 400s of spec
 * section 7.
 */
export function parseMessagesConversation(
  raw: string,
  { headers, inputTokens }: { headers: Record<string, string>; inputTokens?: number | undefined },
): ConversationRequest {
  const call = { headers, request: parseMessagesRequest(raw) };
  return {
    ...call.request,
    choices: 1,
    inputTokens: inputTokens ?? estimateInput(call.request.fields),
    planFor: (upstream, terms) =>
      upstream.dialect === "messages"
        ? messagesToMessages(call, upstream, terms)
        : messagesToChat(call, upstream, terms),
    rewordRefusal: toMessagesOverflow,
  };
}
