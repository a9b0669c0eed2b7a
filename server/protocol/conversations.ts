/** The conversational dialects: each parser returns a call that can go to an upstream of any dialect. */
import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "./cannot-convert";
import type { Dialect } from "./capabilities";
import { chatClient, toChat } from "./chat/dialect";
import { forwardChat } from "./chat/forward";
import { asksForCost, type ChatRequest, parseChatRequest } from "./chat/request";
import { completionClient } from "./completions/client";
import { type CompletionRequest, parseCompletionRequest } from "./completions/request";
import { toCompletions } from "./completions/upstream";
import { estimateInput } from "./estimate";
import { type DeliveryMode, geminiClient, toGemini } from "./gemini/dialect";
import { estimateGemini } from "./gemini/estimate";
import { forwardGemini } from "./gemini/forward";
import { type GeminiRequest, parseGeminiRequest } from "./gemini/request";
import { JoinedCandidates } from "./gemini/several";
import { asArray, asEvents } from "./gemini/stream-out";
import { searchesOf } from "./gemini/tools-in";
import { ignoredMembers } from "./ignored-members";
import { dropMembers, setMembers } from "./json-splice";
import type { JsonSource } from "./json-text";
import { estimateThinking, keptCalls, NO_THINKING, type ThinkingOfCalls } from "./kept-thinking";
import { messagesClient, toMessages } from "./messages/dialect";
import { forwardMessages } from "./messages/forward";
import { parseMessagesRequest } from "./messages/request";
import { toMessagesOverflow } from "./overflow";
import type { Conversation } from "./pivot/conversation";
import { cutAt } from "./pivot/cut-answer";
import { type ClientCall, planThroughPivot, type ToUpstream, translatedForm } from "./pivot/dialect";
import { droppedTools, withOptionalTools } from "./pivot/hosted-tools";
import { promptPrefix } from "./prompt-prefix";
import { type ResponsesCall, responsesClient, toResponses } from "./responses/dialect";
import { forwardResponses } from "./responses/forward";
import { mostSearches } from "./searches";
import { JoinedChoices, silentChoices } from "./several";
import { tiersFor } from "./standard-terms";
import { shareStops } from "./stops";
import { mayHaveKept } from "./tool-ids";
import type { CallTerms, ConversationRequest, ForwardPlan, UpstreamModel } from "./upstream-plan";

const upstreams: Record<Dialect, ToUpstream> = {
  chat: toChat,
  messages: toMessages,
  responses: toResponses,
  gemini: toGemini,
};

/** Reads a client's call once, however many upstreams the gateway tries. */
function readOnce(client: ClientCall): ClientCall {
  let read: Conversation | undefined;
  return {
    ...client,
    conversation: function* () {
      read ??= yield* client.conversation();
      return read;
    },
  };
}

/** One of several answers. Each upstream call with the client's seed would give the same one. */
const withoutSeed = (client: ClientCall): ClientCall => ({
  ...client,
  conversation: function* () {
    const read = yield* client.conversation();
    const { seed: _seed, ...scalars } = read.scalars;
    return { ...read, scalars };
  },
});

const throughPivot = (client: ClientCall, own?: ToUpstream): ConversationRequest["planFor"] =>
  function* (upstream, terms) {
    const read = yield* client.conversation();
    yield;
    const conversation = terms.mayDrop ? withOptionalTools(read) : read;
    const { upstreamStops, cut } = shareStops(conversation.stops, upstream, conversation.stopsField);
    const call = yield* (own ?? upstreams[upstream.dialect])(
      { ...conversation, stops: upstreamStops },
      upstream,
      terms,
    );
    yield;
    return yield* planThroughPivot(cutAt(client, cut), call, {
      dropped: droppedTools(conversation, upstream.capabilities),
      ignored: ignoredMembers(client, conversation, { ...upstream, ...call }),
    });
  };

/** Whether an upstream takes fewer stop sequences than a call in its dialect has. */
const hasMoreStops = (stops: unknown, { capabilities: { maxStops } }: UpstreamModel): boolean =>
  Array.isArray(stops) && maxStops !== null && stops.length > maxStops;

type Forward = (upstream: UpstreamModel, terms: CallTerms) => ForwardPlan;

/**
 * Forwards a call that stays in its dialect; any other goes through the pivot, and so does a call whose answer the
 * gateway has to cut at `stops`. Chat has no `stops` here: it cuts its answers itself.
 */
const planWith = (
  own: Dialect,
  client: ClientCall,
  { forward, stops }: { forward: Forward; stops?: unknown },
): ConversationRequest["planFor"] =>
  function* (upstream, terms) {
    const translated = () => throughPivot(client)(upstream, terms);
    return upstream.dialect === own && !hasMoreStops(stops, upstream)
      ? { ...forward(upstream, terms), ignored: [], otherForm: () => translatedForm(translated) }
      : yield* translated();
  };

/**
 * POST /v1/chat/completions (spec 4.2). `inputTokens`: the estimate, if already made. Throws the 400s of spec section
 * 7.
 */
export function parseChatConversation(source: JsonSource, inputTokens?: number): ConversationRequest {
  const request = parseChatRequest(source);
  const calls = mayHaveKept(request.raw) ? keptCalls(request.fields.messages) : [];
  return chatConversation(request, {
    inputTokens: inputTokens ?? estimateInput(request.fields),
    ...(calls.length > 0 && { keptCalls: calls }),
  });
}

const planChat = (request: ChatRequest, client: ClientCall) =>
  planWith("chat", readOnce(client), {
    forward: (upstream, terms) => forwardChat(request, upstream, terms),
  });

/** `thinking`: the kept thinking of its calls. */
function chatConversation(
  request: ChatRequest,
  facts: Pick<ConversationRequest, "inputTokens" | "keptCalls">,
  thinking: ThinkingOfCalls = NO_THINKING,
): ConversationRequest {
  const { choices } = request;
  const singleChoice = (): ConversationRequest => {
    const single = parseChatRequest(setMembers(dropMembers(request, ["n"]), {}));
    const planFor = planChat(single, withoutSeed(chatClient(single, thinking)));
    return { ...chatConversation(single, facts, thinking), planFor };
  };
  return {
    ...request,
    ...facts,
    readings: choices,
    withThinking: (kept) =>
      chatConversation(request, { ...facts, inputTokens: facts.inputTokens + estimateThinking(kept) }, kept),
    ...(choices > 1 && {
      several: {
        calls: () => Array<ConversationRequest>(choices).fill(singleChoice()),
        join: () => new JoinedChoices(silentChoices.chat),
      },
    }),
    units: mostSearches(request.fields),
    tiers: tiersFor(request.fields),
    prefix: () =>
      promptPrefix(request.fields, {
        tools: request.fields.tools ?? request.fields.functions,
        system: null,
        turns: request.fields.messages,
      }),
    planFor: planChat(request, chatClient(request, thinking)),
    rewordRefusal: (words) => words,
  };
}

/**
 * POST /v1/messages (spec 4.3). `headers`: the headers that belong to the call. `inputTokens` as above. Throws the 400s
 * of spec section 7.
 */
export function parseMessagesConversation(
  source: JsonSource,
  { headers, inputTokens }: { headers: Record<string, string>; inputTokens?: number | undefined },
): ConversationRequest {
  const request = parseMessagesRequest(source);
  return {
    ...request,
    choices: 1,
    readings: 1,
    inputTokens: inputTokens ?? estimateInput(request.fields),
    units: mostSearches(request.fields),
    tiers: tiersFor(request.fields),
    wantsCost: asksForCost(request.fields),
    prefix: () => {
      const { tools, system, messages: turns } = request.fields;
      return promptPrefix(request.fields, { tools, system, turns });
    },
    planFor: planWith("messages", readOnce(messagesClient(request)), {
      forward: (upstream, terms) => forwardMessages({ request, headers }, upstream, terms),
      stops: request.fields.stop_sequences,
    }),
    rewordRefusal: toMessagesOverflow,
  };
}

/** One prompt of a completion, with one answer. */
function completionOf(request: CompletionRequest, prompt: string, tokens: number): ConversationRequest {
  const { model, isStream, maxOutputTokens, wantsCost } = request;
  const only = completionClient(request, prompt);
  const client = readOnce(request.answers > 1 ? withoutSeed(only) : only);
  return {
    ...{ model, isStream, maxOutputTokens, wantsCost, choices: 1, readings: 1, units: undefined },
    inputTokens: tokens,
    prefix: () => promptPrefix(request.fields, { tools: null, system: null, turns: prompt }),
    planFor: throughPivot(client, request.suffix === "" ? undefined : toCompletions(request, prompt)),
    rewordRefusal: (words) => words,
  };
}

/**
 * POST /v1/completions (spec 4.11): a text is the only turn of a conversation; several texts are as many conversations.
 * `inputTokens` and errors as above.
 */
export function parseCompletion(source: JsonSource, inputTokens?: number): ConversationRequest {
  const request = parseCompletionRequest(source);
  const { prompts, answers } = request;
  const tokensOf = (content: string) =>
    estimateInput({ messages: [{ role: "user", content }] }) + estimateInput({ system: request.suffix });
  const tokens = inputTokens ?? prompts.reduce((sum, prompt) => sum + tokensOf(prompt), 0);
  const [first = ""] = prompts;
  const completion = completionOf(request, first, tokens);
  if (prompts.length * answers === 1) {
    return completion;
  }
  return {
    ...completion,
    choices: prompts.length * answers,
    readings: answers,
    several: {
      // The answers to one prompt follow each other.
      calls: () =>
        prompts.flatMap((prompt) =>
          Array<ConversationRequest>(answers).fill(completionOf(request, prompt, tokensOf(prompt))),
        ),
      join: () => new JoinedChoices(silentChoices.completions),
    },
    planFor: () => cannotConvert(errorMessages.oneResult()),
  };
}

/**
 * POST /v1/responses, after the items that it refers to are loaded. `inputTokens`: the estimate for the whole
 * conversation.
 */
export function responsesConversation(call: ResponsesCall, inputTokens: number): ConversationRequest {
  const { model, isStream, maxOutputTokens } = call.request;
  return {
    model,
    isStream,
    maxOutputTokens,
    choices: 1,
    readings: 1,
    inputTokens,
    units: mostSearches(call.request.fields),
    tiers: tiersFor(call.request.fields),
    wantsCost: asksForCost(call.request.fields),
    prefix: () => {
      const { tools, instructions: system } = call.request.fields;
      return promptPrefix(call.request.fields, { tools, system, turns: call.items });
    },
    planFor: planWith("responses", readOnce(responsesClient(call)), {
      forward: (upstream, terms) => forwardResponses(call, upstream, terms),
    }),
    rewordRefusal: (words) => words,
  };
}

/**
 * `generateContent` and `streamGenerateContent` of Google's API; the address names the model. `inputTokens`: the
 * estimate, if already made. Throws the 400s of spec section 7.
 */
export function parseGeminiConversation(
  source: JsonSource,
  { model, delivery }: { model: string; delivery: DeliveryMode },
  inputTokens?: number,
): ConversationRequest {
  const request = parseGeminiRequest(source);
  return geminiConversation(request, { model, delivery }, inputTokens ?? estimateGemini(request));
}

function geminiConversation(
  request: GeminiRequest,
  { model, delivery }: { model: string; delivery: DeliveryMode },
  inputTokens: number,
): ConversationRequest {
  const { choices } = request;
  /**
   * One candidate, through the pivot. Google's own upstreams refuse several candidates for some requests, so the
   * gateway asks them for one at a time, as it asks others.
   */
  const singleCandidate = (): ConversationRequest => {
    const single = { ...request, choices: 1 };
    const delivered = delivery === "whole" ? delivery : "events";
    return {
      ...geminiConversation(single, { model, delivery: delivered }, inputTokens),
      planFor: throughPivot(readOnce(withoutSeed(geminiClient(single, delivered)))),
    };
  };
  return {
    model,
    isStream: delivery !== "whole",
    maxOutputTokens: request.maxOutputTokens,
    choices,
    readings: choices,
    ...(choices > 1 && {
      several: {
        calls: () => Array<ConversationRequest>(choices).fill(singleCandidate()),
        join: () => new JoinedCandidates(delivery === "array" ? asArray() : asEvents),
      },
    }),
    inputTokens,
    units: mostSearches({ tools: searchesOf(request.camelFields) }),
    // Google's API has no member for it.
    wantsCost: false,
    prefix: () => {
      const { tools, systemInstruction: system } = request.camelFields;
      return promptPrefix(request.camelFields, { tools, system, turns: request.contents });
    },
    planFor: planWith("gemini", readOnce(geminiClient(request, delivery)), {
      forward: (upstream, terms) => forwardGemini({ request, delivery }, upstream, terms),
      stops: request.config.stopSequences,
    }),
    rewordRefusal: (words) => words,
  };
}
