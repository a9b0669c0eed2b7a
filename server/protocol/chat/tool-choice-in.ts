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
const allowedOf = (choice: JsonObject): JsonObject =>
  isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;

function readChoice(choice: unknown): ToolChoice | null {
  if (choice === undefined || choice === null) {
    return null;
  }
  const word = isJsonObject(choice) ? choice.type : choice;
  if (typeof word === "string" && Object.hasOwn(words, word)) {
    return words[word] ?? null;
  }
  return isJsonObject(choice)
    ? named(choice)
    : cannotConvert(errorMessages.valueNotConvertible("tool_choice", wordOf(choice)));
}

/** Whether the model has to call a tool. With several allowed tools it has to only if the mode is `required`. */
export function forcesTool({ tool_choice: choice }: JsonObject): boolean {
  if (isJsonObject(choice) && choice.type === "allowed_tools") {
    return allowedOf(choice).mode === "required";
  }
  const word = isJsonObject(choice) ? choice.type : choice;
  return typeof word === "string" && Object.hasOwn(words, word)
    ? words[word]?.type === "any"
    : isJsonObject(choice);
}

/** Reads `tool_choice` (`function_call` in older requests) and `parallel_tool_calls`. Throws cannotConvert. */
export function readToolChoice(fields: JsonObject): AskedChoice {
  const choice = fields.tool_choice ?? fields.function_call;
  const isSerial =
    fields.parallel_tool_calls === false ||
    (isJsonObject(choice) && choice.disable_parallel_tool_use === true);
  if (!isJsonObject(choice) || choice.type !== "allowed_tools") {
    return { choice: readChoice(choice), allowed: null, isSerial };
  }
  const list = allowedOf(choice);
  const names = objects(list.tools)
    .map(nameOf)
    .filter((name) => typeof name === "string");
  return {
    choice: words[list.mode === "required" ? "any" : "auto"] ?? null,
    allowed: new Set(names),
    isSerial,
  };
}
