import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalFields, optionalList } from "../cannot-convert";
import { isJsonObject, type JsonObject, objects, textOf, wordOf } from "../fields";
import type { Conversation, FunctionTool, HostedTool } from "../pivot/conversation";
import { freeTextDescription, freeTextParameters } from "../pivot/free-text";
import { readMark } from "../prompt-cache";
import { readToolChoice } from "./tool-choice-in";

/** Whether a tool's input is free text. Anthropic's tools of that type have a schema. */
const isCustom = (tool: JsonObject): tool is JsonObject & { custom: JsonObject } =>
  tool.type === "custom" && isJsonObject(tool.custom);

/** The names of a client's custom tools. The client expects their calls as custom calls. */
export const customTools = ({ tools }: JsonObject): ReadonlySet<string> =>
  new Set(
    objects(tools)
      .filter(isCustom)
      .map(({ custom }) => textOf(custom.name)),
  );

function readCustom({ custom, ...tool }: JsonObject & { custom: JsonObject }, field: string): FunctionTool {
  const name = textOf(custom.name) || cannotConvert(errorMessages.lacksName(field));
  const format = optionalFields(custom.format, `${field}.custom.format`);
  const description = freeTextDescription(textOf(custom.description), format);
  const parameters = freeTextParameters;
  return { type: "function", name, description, parameters, isStrict: false, ...readMark(tool) };
}

function readTool(tool: JsonObject, field: string): FunctionTool {
  const isFlat = !isJsonObject(tool.function);
  if (isCustom(tool)) {
    return readCustom(tool, field);
  }
  // Cursor sends tools in the messages dialect's form; other clients leave out the `function` level.
  const isKnown = ["function", "custom", undefined, null].includes(tool.type as string);
  const target: JsonObject = isJsonObject(tool.function) ? tool.function : tool;
  if (!isKnown || (isFlat && tool.type === "custom" && !tool.input_schema)) {
    return cannotConvert(errorMessages.valueNotConvertible(`${field}.type`, wordOf(tool.type)));
  }
  if (typeof target.name !== "string" || target.name === "") {
    return cannotConvert(errorMessages.lacksName(field));
  }
  return {
    type: "function",
    name: target.name,
    description: textOf(target.description),
    parameters: optionalFields(target.input_schema ?? target.parameters, `${field}.parameters`),
    isStrict: target.strict === true,
    ...readMark(tool),
  };
}

const searchUses = new Map<unknown, number>([
  ["low", 1],
  ["high", 10],
]);
const USUAL_SEARCH_USES = 5;

function readSearch(value: unknown): HostedTool[] {
  const options = optionalFields(value, "web_search_options");
  if (!value) {
    return [];
  }
  const location = isJsonObject(options.user_location) ? options.user_location : {};
  return [
    {
      type: "hosted",
      kind: "web_search",
      name: "web_search",
      label: "web_search_options",
      isOptional: true,
      maxUses: searchUses.get(options.search_context_size) ?? USUAL_SEARCH_USES,
      place: isJsonObject(location.approximate) ? location.approximate : null,
      domainsField: null,
    },
  ];
}

/** Whether the client knows only `function_call`, not `tool_calls`. */
export const usesLegacyFunctions = ({ tools, functions }: JsonObject): boolean =>
  optionalList(tools, "tools").length === 0 && optionalList(functions, "functions").length > 0;

/** Throws cannotConvert for tools that are not functions. */
export function readTools(
  fields: JsonObject,
): Pick<Conversation, "tools" | "choice" | "allowed" | "isSerial"> {
  const isLegacy = usesLegacyFunctions(fields);
  const functions = isLegacy
    ? optionalList(fields.functions, "functions").map((target, index) =>
        readTool({ function: target }, `functions[${index}]`),
      )
    : optionalList(fields.tools, "tools").map((tool, index) => readTool(tool, `tools[${index}]`));
  const toolChoice = readToolChoice(fields);
  return {
    ...toolChoice,
    tools: [...functions, ...readSearch(fields.web_search_options)],
    // Before tools existed, an answer had at most one call.
    isSerial: toolChoice.isSerial || isLegacy,
  };
}
