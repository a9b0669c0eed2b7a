import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalFields, optionalText } from "../cannot-convert";
import { isEffort } from "../effort";
import { isJsonObject, type JsonObject, wordOf } from "../fields";
import {
  type AnswerFormat,
  type Conversation,
  splitSystem,
  type TextBlock,
  type ThinkingWish,
} from "../pivot/conversation";
import { askedLogprobs, LOGPROBS } from "../pivot/logprobs";
import { readScalars } from "../scalars";
import { readItems } from "./items-in";
import { type ClientTools, readTools } from "./tools-in";

/** Reads `text.format`, flat where chat nests. Throws cannotConvert for a form that no other dialect has. */
function readFormat(text: JsonObject): AnswerFormat | null {
  const format = optionalFields(text.format, "text.format");
  switch (format.type) {
    case undefined:
    case "text":
      return null;
    case "json_object":
      return { type: "json" };
    case "json_schema":
      return isJsonObject(format.schema) ? { type: "schema", schema: format.schema } : { type: "json" };
    default:
      return cannotConvert(errorMessages.valueNotConvertible("text.format.type", wordOf(format.type)));
  }
}

function readThinking({ effort }: JsonObject): ThinkingWish | null {
  const wish = { budget: null, display: null };
  if (effort === "none") {
    return { ...wish, mode: "off", effort: null };
  }
  return isEffort(effort) ? { ...wish, mode: null, effort } : null;
}

/** OpenAI's names of includable parts that answers of other dialects always have, or can never have. */
const INCLUDED = new Set([
  ...["reasoning.encrypted_content", LOGPROBS, "message.input_image.image_url"],
  ...["web_search_call.results", "web_search_call.action.sources", "file_search_call.results"],
  ...["code_interpreter_call.outputs", "computer_call_output.output.image_url"],
]);

/** Throws cannotConvert for an unknown value of `include`. */
function refuseUnknown({ include }: JsonObject): void {
  const names: unknown[] = Array.isArray(include) ? include : [include ?? []].flat();
  const other = names.map(wordOf).find((name) => !INCLUDED.has(name));
  if (other !== undefined) {
    cannotConvert(errorMessages.valueNotConvertible("include", other.slice(0, 64)));
  }
}

/** Either of the two members requests token probabilities. */
const asksLogprobs = ({ include, top_logprobs: limit }: JsonObject): boolean =>
  (Array.isArray(include) && include.includes(LOGPROBS)) || Number(limit) > 0;

/**
 * Reads a request of the Responses API (its form already checked). `items`: its whole conversation. Drops hints that no
 * other dialect knows; throws cannotConvert for other parts that none has.
 */
export function* readConversation(
  fields: JsonObject,
  items: JsonObject[],
  tools: ClientTools,
): Generator<void, Conversation> {
  refuseUnknown(fields);
  const instructions = optionalText(fields.instructions, "instructions");
  const { system, turns } = splitSystem(yield* readItems(items, tools));
  const instructionBlocks: TextBlock[] = instructions === "" ? [] : [{ type: "text", text: instructions }];
  return {
    isStream: fields.stream === true,
    system: [...instructionBlocks, ...system],
    turns,
    isPrefill: false,
    ...readTools(fields, tools),
    format: readFormat(optionalFields(fields.text, "text")),
    thinking: readThinking(optionalFields(fields.reasoning, "reasoning")),
    ...askedLogprobs(asksLogprobs(fields), fields.top_logprobs),
    stops: [],
    stopsField: "stop",
    scalars: readScalars("responses", fields),
    cache: null,
  };
}
