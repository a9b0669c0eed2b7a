import { inClientWords, joinStream } from "../answers/client-answer";
import { type JsonObject, objects, textOf } from "../fields";
import { dropMembers, setMembers } from "../json/splice";
import { soleOf } from "../tools/tool-names";
import type { AnswerContext, CallTerms, ForwardPlan, UpstreamModel } from "../upstream-plan";
import { standardTerms } from "../usage/standard-terms";
import { readResponsesAnswer } from "./answer";
import type { ResponsesCall } from "./dialect";
import { servedTools } from "./hosted-forward";
import { forwardItems } from "./items-forward";
import { ResponsesReader } from "./reader";
import { sealedThinking } from "./request-out";
import { ownResponse, ResponsesWriter } from "./writer";

/** Members for the gateway, which handles them itself; strict vendors refuse `client_metadata` (new-api#4462). */
const ours = ["previous_response_id", "conversation", "client_metadata", "usage", "background"];

const functionNames = ({ tools }: JsonObject): string[] =>
  objects(tools).flatMap(({ type, name }) =>
    type === "function" || type === "custom" ? [textOf(name)] : [],
  );

const isSame = (a: JsonObject[], b: JsonObject[]) =>
  a.length === b.length && a.every((item, index) => item === b[index]);

/** Keeps the client's own text, if no item has to change. */
function inputOf({ request, items }: ResponsesCall, upstream: UpstreamModel): JsonObject {
  const input = forwardItems(items, upstream.capabilities);
  return isSame(input, request.input) ? {} : { input };
}

function cappedLimit({ request }: ResponsesCall, { maxOutputTokens, isCapped }: CallTerms): JsonObject {
  const named = request.maxOutputTokens;
  return isCapped ? { max_output_tokens: Math.min(named ?? maxOutputTokens, maxOutputTokens) } : {};
}

function* keepOwn(
  call: ResponsesCall,
  whole: JsonObject,
  context: AnswerContext,
): Generator<void, JsonObject> {
  yield;
  const response = ownResponse(call, whole, context);
  call.keep(response);
  return response;
}

/**
 * Forwards a Responses call in its dialect: every field as the client sent it, except for those that the gateway sets
 * or that would cost more. The body contains everything that the call refers to, and the vendor stores nothing: any
 * channel can continue the conversation.
 */
export function forwardResponses(
  call: ResponsesCall,
  upstream: UpstreamModel,
  terms: CallTerms,
): ForwardPlan {
  const { request } = call;
  const { fields } = request;
  const { capabilities } = upstream;
  const tools = servedTools(fields, capabilities);
  const soleName = soleOf(functionNames(fields));
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
    readAnswer: (answer, context) =>
      inClientWords(readResponsesAnswer(answer, context, soleName), (whole) => keepOwn(call, whole, context)),
    openStream: (context) =>
      joinStream(new ResponsesReader(context, soleName), new ResponsesWriter(call, context)),
  };
}
