/** Custom tools, whose input is free text. For a dialect without them each becomes a function with one text argument. */
import { isJsonObject, type JsonObject, textOf } from "../fields";

/** A custom tool's free text as the one argument of a function. */
export const freeTextParameters = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

function grammarText(format: JsonObject): string {
  const grammar = isJsonObject(format.grammar) ? format.grammar : format;
  return format.type === "grammar" && typeof grammar.definition === "string"
    ? `The input has to fit this ${textOf(grammar.syntax)} grammar:\n${grammar.definition}`
    : "";
}

/** The description with the grammar of the input: a model that cannot be bound to a grammar reads it there. */
export const freeTextDescription = (description: string, format: JsonObject): string =>
  [description, grammarText(format)].filter((part) => part !== "").join("\n\n");

/** The input, out of the arguments of the function that stood for the tool; the arguments themselves where it is missing. */
export function freeTextOf(args: string): string {
  try {
    const { input } = JSON.parse(args) as JsonObject;
    return typeof input === "string" ? input : args;
  } catch {
    return args;
  }
}
