import { asksForCost } from "../fields";
import { planWith, readOnce } from "../plan-conversation";
import { promptPrefix } from "../prompt-prefix";
import type { ConversationRequest } from "../upstream-plan";
import { mostSearches } from "../usage/searches";
import { tiersFor } from "../usage/standard-terms";
import { type ResponsesCall, responsesClient } from "./dialect";
import { forwardResponses } from "./forward";

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
