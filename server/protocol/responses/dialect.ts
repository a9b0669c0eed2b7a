import { mapResult } from "@/server/base/turns";
import type { JsonObject } from "../fields";
import { type ClientCall, type ToUpstream, toPivot } from "../pivot/dialect";
import { upstreamSoleName } from "../tools/tool-names";
import type { AnswerContext } from "../upstream-plan";
import { readResponsesAnswer } from "./answer";
import { readAnswer } from "./answer-in";
import { echoOf, type ResponseForm, toResponse } from "./answer-out";
import { ResponsesReader } from "./reader";
import type { ResponsesRequest } from "./request";
import { readConversation } from "./request-in";
import { writeResponsesRequest } from "./request-out";
import { ResponsesEvents } from "./stream-in";
import { ResponsesOut } from "./stream-out";
import { type ClientTools, readClientTools } from "./tools-in";

/**
 * One call of the Responses API. `id`: the id of its response. `items`: its whole conversation. `keep`: gets the
 * response in the client's form before the client does, also a failed one.
 */
export type ResponsesCall = {
  id: string;
  request: ResponsesRequest;
  items: JsonObject[];
  keep: (response: JsonObject) => void;
};

/** A Responses call for upstreams of other dialects. */
export function responsesClient({ id, request, items, keep }: ResponsesCall): ClientCall {
  const { fields } = request;
  let read: ClientTools | undefined;
  const toolsOf = (): ClientTools => {
    read ??= readClientTools(fields, items);
    return read;
  };
  const formOf = (context: AnswerContext): ResponseForm => ({
    ...{ id, echo: echoOf(fields), context },
    tools: toolsOf(),
  });
  return {
    ...{ dialect: "responses", fields },
    conversation: () => readConversation(fields, items, toolsOf()),
    writeAnswer: (answer, counted, context) =>
      mapResult(toResponse(answer, counted, formOf(context)), (response) => {
        keep(response);
        return response;
      }),
    openWriter: (context) => new ResponsesOut(formOf(context), keep),
  };
}

/** An upstream of the Responses dialect for clients of other dialects. */
export const toResponses: ToUpstream = function* (conversation, upstream, terms) {
  const { body, names } = yield* writeResponsesRequest(conversation, upstream, terms);
  const soleName = upstreamSoleName(names);
  return {
    operation: "responses",
    body,
    headers: {},
    readAnswer: (response, context) =>
      toPivot(readResponsesAnswer(response, context, soleName), (answer) => readAnswer(answer, names)),
    openReader: (context) => ({
      reader: new ResponsesReader(context, soleName),
      events: new ResponsesEvents(names),
    }),
  };
};
