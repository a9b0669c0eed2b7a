import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import { isJsonObject, type JsonObject, objects, wordOf } from "../fields";
import type { Conversation, ToolChoice } from "../pivot/conversation";

type AskedChoice = Pick<Conversation, "choice" | "allowed" | "isSerial">;

const words: Record<string, ToolChoice> = {
  none: { type: "none" },
  auto: { type: "auto" },
  required: { type: "any" },
  // Mistral and the messages dialect use this word.
  any: { type: "any" },
};

const nameOf = (target: JsonObject): unknown =>
  ([target.function, target.custom].find(isJsonObject) ?? target).name;

function named(target: JsonObject): ToolChoice {
  const name = nameOf(target);
  return typeof name === "string"
    ? { type: "tool", name }
    : cannotConvert(errorMessages.notConvertible("tool_choice"));
}

/** The allowed tools, in the dialect's form or flat, as in the Responses dialect. */
const allowedOf = (sent: JsonObject): JsonObject =>
  isJsonObject(sent.allowed_tools) ? sent.allowed_tools : sent;

function readChoice(sent: unknown): ToolChoice | null {
  if (sent === undefined || sent === null) {
    return null;
  }
  const word = isJsonObject(sent) ? sent.type : sent;
  if (typeof word === "string" && Object.hasOwn(words, word)) {
    return words[word] ?? null;
  }
  return isJsonObject(sent)
    ? named(sent)
    : cannotConvert(errorMessages.valueNotConvertible("tool_choice", wordOf(sent)));
}

/** Whether the model has to call a tool. With several allowed tools it has to only if the mode is `required`. */
export function forcesTool({ tool_choice: sent }: JsonObject): boolean {
  if (isJsonObject(sent) && sent.type === "allowed_tools") {
    return allowedOf(sent).mode === "required";
  }
  const word = isJsonObject(sent) ? sent.type : sent;
  return typeof word === "string" && Object.hasOwn(words, word)
    ? words[word]?.type === "any"
    : isJsonObject(sent);
}

/** Reads `tool_choice` (`function_call` in older requests) and `parallel_tool_calls`. Throws cannotConvert. */
export function readToolChoice(fields: JsonObject): AskedChoice {
  const sent = fields.tool_choice ?? fields.function_call;
  const isSerial =
    fields.parallel_tool_calls === false || (isJsonObject(sent) && sent.disable_parallel_tool_use === true);
  if (!isJsonObject(sent) || sent.type !== "allowed_tools") {
    return { choice: readChoice(sent), allowed: null, isSerial };
  }
  const list = allowedOf(sent);
  const names = objects(list.tools)
    .map(nameOf)
    .filter((name) => typeof name === "string");
  return {
    choice: words[list.mode === "required" ? "any" : "auto"] ?? null,
    allowed: new Set(names),
    isSerial,
  };
}
