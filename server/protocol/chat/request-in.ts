import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalFields, optionalText, requireText } from "../cannot-convert";
import { isEffort } from "../effort";
import { isJsonObject, type JsonObject, objects, textOf, wordOf } from "../fields";
import { readMessages } from "../json/print";
import { NO_THINKING, type ThinkingOfCalls } from "../kept-thinking";
import { type AnswerFormat, type Conversation, splitSystem, type ThinkingWish } from "../pivot/conversation";
import { askedLogprobs } from "../pivot/logprobs";
import { readMark } from "../prompt-cache";
import { readScalars } from "../scalars";
import { innerOf, readTurn } from "./history-in";
import { readTools } from "./tools-in";

/** Refuses fields without which the call would mean something else. */
function refuseUnknown({ n, modalities, audio }: JsonObject): void {
  if (typeof n === "number" && n !== 1) {
    cannotConvert(errorMessages.oneResult());
  }
  if (audio || (Array.isArray(modalities) && modalities.includes("audio"))) {
    cannotConvert(errorMessages.noAudio());
  }
}

/** Reads `response_format`. Throws cannotConvert for a form that no other dialect has. */
function readFormat(value: unknown): AnswerFormat | null {
  const format = optionalFields(value, "response_format");
  if (!value || format.type === "text") {
    return null;
  }
  const schema = isJsonObject(format.json_schema) ? format.json_schema.schema : null;
  if (format.type === "json_schema" && isJsonObject(schema)) {
    return { type: "schema", schema };
  }
  return format.type === "json_object" || format.type === "json_schema"
    ? { type: "json" }
    : cannotConvert(errorMessages.valueNotConvertible("response_format.type", wordOf(format.type)));
}

/**
 * Reads `reasoning_effort`, and `thinking` as LiteLLM's clients send it. null: the client does not mention thinking.
 */
function readThinking(fields: JsonObject): ThinkingWish | null {
  const named = optionalText(fields.reasoning_effort, "reasoning_effort");
  const effort = isEffort(named) ? named : null;
  const { type, budget_tokens, display } = optionalFields(fields.thinking, "thinking");
  if (fields.thinking) {
    return {
      mode: type === "disabled" ? "off" : "on",
      effort,
      budget: typeof budget_tokens === "number" ? Math.floor(budget_tokens) : null,
      display: textOf(display) || null,
    };
  }
  if (named === "none") {
    return { mode: "off", effort, budget: null, display: null };
  }
  return effort === null ? null : { mode: null, effort, budget: null, display: null };
}

/**
 * Reads a chat request (its form already checked). `thinking`: the kept thinking of its calls. Throws cannotConvert for
 * parts that no other dialect has.
 */
export function* readConversation(
  fields: JsonObject,
  thinking: ThinkingOfCalls = NO_THINKING,
): Generator<void, Conversation> {
  refuseUnknown(fields);
  const stops = [fields.stop ?? []].flat().map((text) => requireText(text, "stop"));
  const messages = objects(fields.messages);
  const turns = yield* readMessages(messages, innerOf, (message, print, index) =>
    readTurn(message, index, { thinking, print }),
  );
  return {
    isStream: fields.stream === true,
    ...splitSystem(turns),
    isPrefill: messages.at(-1)?.role === "assistant",
    ...readTools(fields),
    format: readFormat(fields.response_format),
    thinking: readThinking(fields),
    ...askedLogprobs(fields.logprobs === true, fields.top_logprobs),
    stops,
    stopsField: "stop",
    scalars: readScalars("chat", fields),
    cache: readMark(fields).mark ?? null,
  };
}
