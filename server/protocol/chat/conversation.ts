import { JoinedChoices, silentChoices } from "../answers/several";
import { dropMembers } from "../json/splice";
import type { JsonSource } from "../json/text";
import { estimateThinking, keptCalls, NO_THINKING, type ThinkingOfCalls } from "../kept-thinking";
import type { ClientCall } from "../pivot/dialect";
import { planWith, readOnce, withoutSeed } from "../plan-conversation";
import { promptPrefix } from "../prompt-prefix";
import { mayHaveKept } from "../tools/tool-ids";
import type { ConversationRequest } from "../upstream-plan";
import { estimateInput } from "../usage/estimate";
import { mostSearches } from "../usage/searches";
import { tiersFor } from "../usage/standard-terms";
import { chatClient } from "./dialect";
import { forwardChat } from "./forward";
import { type ChatRequest, parseChatRequest } from "./request";

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
    const { n: _several, ...fields } = request.fields;
    const single = parseChatRequest({ ...dropMembers(request, ["n"]), fields });
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
