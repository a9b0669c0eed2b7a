import { asksForCost } from "../fields";
import type { JsonSource } from "../json/text";
import { toMessagesOverflow } from "../overflow";
import { planWith, readOnce } from "../plan-conversation";
import { promptPrefix } from "../prompt-prefix";
import type { ConversationRequest } from "../upstream-plan";
import { estimateInput } from "../usage/estimate";
import { mostSearches } from "../usage/searches";
import { tiersFor } from "../usage/standard-terms";
import { messagesClient } from "./dialect";
import { forwardMessages } from "./forward";
import { parseMessagesRequest } from "./request";

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
