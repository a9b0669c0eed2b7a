import { estimateInput } from "../estimate";
import { type JsonObject, textOf } from "../fields";
import type { ClientCall } from "../pivot/dialect";
import { fromEnvelope } from "../pivot/sealed";
import type { AnswerContext } from "../upstream-plan";
import { echoOf, type ResponseForm, toResponse } from "./answer-out";
import type { ResponsesRequest } from "./request";
import { readConversation } from "./request-in";
import { ResponsesOut } from "./stream-out";
import { readClientTools } from "./tools-in";

/**
 * One call of the Responses API. `id`: of its response. `items`: its whole conversation. `keep`: is given the response
 * as the client gets it, before the client does.
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
  const tools = readClientTools(fields, items);
  const formOf = (context: AnswerContext): ResponseForm => ({ id, echo: echoOf(fields), tools, context });
  return {
    conversation: () => readConversation(fields, items, tools),
    writeAnswer: (answer, counted, context) => {
      const response = toResponse(answer, counted, formOf(context));
      const text = JSON.stringify(response);
      keep(response);
      return text;
    },
    openWriter: (context) => new ResponsesOut(formOf(context), keep),
  };
}

/** What a model reads of an item: of thinking that it carries, the text in it, and nobody else's is sent. */
function readable({ id: _id, status: _status, encrypted_content: sealed, output, ...item }: JsonObject) {
  const carried = fromEnvelope(textOf(sealed));
  const said = [item.content, output, carried?.type === "thinking" ? carried.text : null];
  return { ...item, content: said.flat().filter((part) => part !== undefined && part !== null) };
}

/** Our estimate of items as a prompt, in tokens. */
export const estimateItems = (items: JsonObject[]): number =>
  estimateInput({ messages: items.map(readable) });

/** The same of a request without its items. */
export const estimateRest = ({ instructions, tools, text, tool_choice: choice }: JsonObject): number =>
  estimateInput({ system: instructions, tools, response_format: text, output_config: choice });
