import { inClientWords, joinStream } from "../client-answer";
import type { JsonObject } from "../fields";
import { dropMembers, setMembers } from "../json-splice";
import { standardTerms } from "../standard-terms";
import type { ForwardPlan, Terms, UpstreamModel } from "../upstream-plan";
import { readResponsesAnswer } from "./answer";
import type { ResponsesCall } from "./dialect";
import { servedTools } from "./hosted-forward";
import { forwardItems } from "./items-forward";
import { ResponsesReader } from "./reader";
import { sealedThinking } from "./request-out";
import { ownResponse, ResponsesWriter } from "./writer";

/** Of the gateway, which has done or will do what they ask for; strict vendors refuse the second (new-api#4462). */
const ours = ["previous_response_id", "conversation", "client_metadata", "usage", "background"];

const isSame = (one: JsonObject[], other: JsonObject[]) =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/** The client's own text, where nothing of it has to be another. */
function inputOf({ request, items }: ResponsesCall, upstream: UpstreamModel): JsonObject {
  const input = forwardItems(items, upstream.capabilities);
  return isSame(input, request.input) ? {} : { input };
}

function cappedLimit({ request }: ResponsesCall, { maxOutputTokens, isCapped }: Terms): JsonObject {
  const named = request.maxOutputTokens;
  return isCapped ? { max_output_tokens: Math.min(named ?? maxOutputTokens, maxOutputTokens) } : {};
}

/**
 * A Responses call that stays in its dialect: every field as the client sent it, but for those that are ours or
 * dearer. Whatever it refers to goes with it, and nothing is stored by the vendor: any channel can go on with it.
 */
export function forwardResponses(call: ResponsesCall, upstream: UpstreamModel, terms: Terms): ForwardPlan {
  const { request, keep } = call;
  const { fields } = request;
  const { capabilities } = upstream;
  const tools = servedTools(fields, capabilities);
  return {
    operation: "responses",
    headers: {},
    dropped: tools.refused,
    body: setMembers(dropMembers(request, [...ours, ...tools.dropped]), {
      ...(!capabilities.premiumTiers && standardTerms(fields, upstream)),
      ...tools.values,
      model: upstream.name,
      ...inputOf(call, upstream),
      ...cappedLimit(call, terms),
      store: false,
      ...sealedThinking(fields, capabilities),
    }),
    readAnswer: function* (answer, context) {
      const read = yield* readResponsesAnswer(answer, context);
      return yield* inClientWords(read, function* (whole) {
        yield;
        const response = ownResponse(call, whole, context);
        keep(response);
        return response;
      });
    },
    openStream: (context) => joinStream(new ResponsesReader(context), new ResponsesWriter(call, context)),
  };
}
