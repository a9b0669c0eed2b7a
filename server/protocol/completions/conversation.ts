import { errorMessages } from "@/server/base/error-messages";
import { JoinedChoices, silentChoices } from "../answers/several";
import { cannotConvert } from "../cannot-convert";
import type { JsonSource } from "../json/text";
import { readOnce, throughPivot, withoutSeed } from "../plan-conversation";
import { promptPrefix } from "../prompt-prefix";
import type { ConversationRequest } from "../upstream-plan";
import { estimateInput } from "../usage/estimate";
import { completionClient } from "./client";
import { type CompletionRequest, parseCompletionRequest } from "./request";
import { toCompletions } from "./upstream";

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
