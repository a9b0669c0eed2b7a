import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalFields, optionalText } from "../cannot-convert";
import { isJsonObject, type JsonObject, textOf, wordOf } from "../fields";
import type { Conversation, FunctionTool, HostedTool, ToolChoice } from "../pivot/conversation";
import { inCamelCase } from "./names";
import { readList } from "./request";
import { readSchema } from "./schema-in";

function readFunction(declaration: JsonObject, field: string): FunctionTool {
  const { name, description, parameters, parametersJsonSchema: schema } = inCamelCase(declaration);
  if (typeof name !== "string" || name === "") {
    return cannotConvert(errorMessages.lacksName(field));
  }
  return {
    type: "function",
    name,
    description: optionalText(description, `${field}.description`),
    parameters: isJsonObject(schema) ? schema : readSchema(optionalFields(parameters, `${field}.parameters`)),
    isStrict: false,
  };
}

/** Google's tools that look something up: if no upstream of the route has one, the call goes out without it. */
const lookups = new Map<string, HostedTool["kind"]>([
  ["googleSearch", "web_search"],
  ["googleSearchRetrieval", "web_search"],
  ["enterpriseWebSearch", "web_search"],
  ["urlContext", "other"],
]);

/** The web searches that a call asks for, in the form of other dialects' tools. */
export const searchesOf = (fields: JsonObject): JsonObject[] =>
  readList(fields.tools, "tools")
    .filter((tool) => Object.keys(inCamelCase(tool)).some((name) => lookups.get(name) === "web_search"))
    .map(() => ({ type: "web_search" }));

/** Throws cannotConvert for a tool whose loss would change the request's meaning. */
function readHosted(label: string): HostedTool {
  const kind = lookups.get(label);
  return kind === undefined
    ? cannotConvert(errorMessages.noServerTool(label))
    : {
        type: "hosted",
        kind,
        name: label,
        label,
        isOptional: true,
        maxUses: null,
        place: null,
        domainsField: null,
      };
}

function readTool(tool: JsonObject, field: string): Conversation["tools"] {
  const { functionDeclarations, ...hosted } = inCamelCase(tool);
  const declared = readList(functionDeclarations, `${field}.functionDeclarations`);
  const named = Object.keys(hosted).filter((label) => hosted[label] !== null);
  return [
    ...declared.map((declaration, index) =>
      readFunction(declaration, `${field}.functionDeclarations[${index}]`),
    ),
    ...named.map(readHosted),
  ];
}

type ToolConfig = Pick<Conversation, "choice" | "allowed">;

function readChoice(fields: JsonObject): ToolConfig {
  const outer = optionalFields(fields.toolConfig, "toolConfig");
  const field = "toolConfig.functionCallingConfig";
  const { functionCallingConfig: config } = inCamelCase(outer);
  const { mode, allowedFunctionNames: names } = inCamelCase(optionalFields(config, field));
  const toolNames = Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  const allowed = toolNames.length > 0 ? new Set(toolNames) : null;
  const [only] = toolNames;
  const named: ToolChoice | null =
    only !== undefined && allowed?.size === 1 ? { type: "tool", name: only } : null;
  // Google accepts these words in any case.
  switch (wordOf(mode ?? "").toUpperCase()) {
    case "":
    case "MODE_UNSPECIFIED":
      return { choice: null, allowed: null };
    case "AUTO":
      return { choice: { type: "auto" }, allowed: null };
    case "VALIDATED":
      return { choice: { type: "auto" }, allowed };
    case "ANY":
      return { choice: named ?? { type: "any" }, allowed };
    case "NONE":
      return { choice: { type: "none" }, allowed: null };
    default:
      return cannotConvert(errorMessages.valueNotConvertible(`${field}.mode`, textOf(mode)));
  }
}

/** Reads `tools` and `toolConfig`. Throws cannotConvert. */
export const readTools = (
  fields: JsonObject,
): Pick<Conversation, "tools" | "choice" | "allowed" | "isSerial"> => ({
  ...readChoice(fields),
  tools: readList(fields.tools, "tools").flatMap((tool, index) => readTool(tool, `tools[${index}]`)),
  isSerial: false,
});
