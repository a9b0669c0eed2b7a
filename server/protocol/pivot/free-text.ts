/** Custom tools, whose input is free text: to dialects without them each is a function of one text. */
import { isJsonObject, type JsonObject, textOf } from "../fields";

/** What the free text of a custom tool becomes: the one argument of a function. */
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

/** With the grammar that its input has to fit: a model that is not held to one is told of it. */
export const freeTextDescription = (description: string, format: JsonObject): string =>
  [description, grammarText(format)].filter((part) => part !== "").join("\n\n");

/** The input, of the arguments of the function that stood for the tool; the arguments themselves where it is not there. */
export function freeTextOf(args: string): string {
  try {
    const { input } = JSON.parse(args) as JsonObject;
    return typeof input === "string" ? input : args;
  } catch {
    return args;
  }
}
