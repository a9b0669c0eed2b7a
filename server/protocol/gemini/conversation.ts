import type { JsonSource } from "../json/text";
import { planWith, readOnce, throughPivot, withoutSeed } from "../plan-conversation";
import { promptPrefix } from "../prompt-prefix";
import type { ConversationRequest } from "../upstream-plan";
import { mostSearches } from "../usage/searches";
import { type DeliveryMode, geminiClient } from "./dialect";
import { estimateGemini } from "./estimate";
import { forwardGemini } from "./forward";
import { type GeminiRequest, parseGeminiRequest } from "./request";
import { JoinedCandidates } from "./several";
import { asArray, asEvents } from "./stream-out";
import { searchesOf } from "./tools-in";

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
