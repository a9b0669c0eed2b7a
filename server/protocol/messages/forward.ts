import { inClientWords, joinStream } from "../client-answer";
import { isJsonObject, type JsonObject } from "../fields";
import { dropMembers, setMembers } from "../json-splice";
import { asWritten } from "../json-text";
import { standardBetas, standardTerms } from "../standard-terms";
import type { ForwardPlan, Terms, UpstreamModel } from "../upstream-plan";
import { readMessagesAnswer } from "./answer";
import { withoutUnsignedThinking } from "./history";
import { MessagesReader } from "./reader";
import type { MessagesRequest } from "./request";
import { messagesWriter } from "./writer";

/** `headers`: those that are a part of the call. */
export type MessagesCall = { request: MessagesRequest; headers: Record<string, string> };

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

/** Messages that have to change are printed anew, numbers with the digits that the client wrote. */
const signedHistory = (request: MessagesRequest) =>
  withoutUnsignedThinking(request.fields).messages &&
  withoutUnsignedThinking({ ...request.fields, messages: asWritten(request, "messages") });

/**
 * A messages call that stays in its dialect: as the client sent it, but for what is ours or dearer. `headers`: the
 * client's version and betas, which mean something to a vendor of this dialect.
 */
export function forwardMessages(
  { request, headers }: MessagesCall,
  upstream: UpstreamModel,
  terms: Terms,
): ForwardPlan {
  const { fields } = request;
  const { echoesThinking, premiumTiers } = upstream.capabilities;
  return {
    operation: "messages",
    headers: premiumTiers ? headers : standardBetas(headers),
    dropped: [],
    // What asks for the cost is ours.
    body: setMembers(fields.usage === undefined ? request : dropMembers(request, ["usage"]), {
      ...(!premiumTiers && standardTerms(fields, upstream)),
      model: upstream.name,
      // This dialect's vendors refuse a call without a limit.
      ...cappedMessages(request, terms),
      ...(!echoesThinking && signedHistory(request)),
    }),
    readAnswer: function* (answer, context) {
      return yield* inClientWords(yield* readMessagesAnswer(answer, context));
    },
    openStream: (context) => joinStream(new MessagesReader(context), messagesWriter),
  };
}
