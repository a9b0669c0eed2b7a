import { inClientWords, joinStream } from "../answers/client-answer";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { dropMembers, setMembers } from "../json/splice";
import { asWritten } from "../json/text";
import { soleOf } from "../tools/tool-names";
import type { CallTerms, ForwardPlan, UpstreamModel } from "../upstream-plan";
import { standardBetas, standardTerms } from "../usage/standard-terms";
import { readMessagesAnswer } from "./answer";
import { withoutUnsignedThinking } from "./history";
import { MessagesReader } from "./reader";
import type { MessagesRequest } from "./request";
import { messagesWriter } from "./writer";

/** `headers`: the headers that belong to the call. */
export type MessagesCall = { request: MessagesRequest; headers: Record<string, string> };

const MIN_THINKING_BUDGET = 1_024;

/** The output limit for the upstream, and a thinking budget below it, as this dialect's vendors require. */
function cappedMessages({ fields, maxOutputTokens }: MessagesRequest, terms: CallTerms): JsonObject {
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

/** Prints changed messages again; numbers keep the digits that the client wrote. */
const signedHistory = (request: MessagesRequest) =>
  withoutUnsignedThinking(request.fields).messages &&
  withoutUnsignedThinking({ ...request.fields, messages: asWritten(request, "messages") });

/**
 * Forwards a messages call in its dialect: as the client sent it, except for members that the gateway sets or that
 * would cost more. `headers`: the client's version and betas, which a vendor of this dialect reads.
 */
export function forwardMessages(
  { request, headers }: MessagesCall,
  upstream: UpstreamModel,
  terms: CallTerms,
): ForwardPlan {
  const { fields } = request;
  const { echoesThinking, premiumTiers } = upstream.capabilities;
  const soleName = soleOf(objects(fields.tools).map(({ name }) => textOf(name)));
  return {
    operation: "messages",
    headers: premiumTiers ? headers : standardBetas(headers),
    dropped: [],
    // `usage` asks the gateway for the cost.
    body: setMembers(fields.usage === undefined ? request : dropMembers(request, ["usage"]), {
      ...(!premiumTiers && standardTerms(fields, upstream)),
      model: upstream.name,
      // This dialect's vendors refuse a call without a limit.
      ...cappedMessages(request, terms),
      ...(!echoesThinking && signedHistory(request)),
    }),
    readAnswer: (answer, context) => inClientWords(readMessagesAnswer(answer, context, soleName)),
    openStream: (context) => joinStream(new MessagesReader(context, soleName), messagesWriter),
  };
}
