import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalFields, optionalText, requireText } from "../cannot-convert";
import { isJsonObject, type JsonObject, objects, textOf, wordOf } from "../fields";
import type { Conversation, FunctionTool, HostedTool, ToolChoice } from "../pivot/conversation";
import { findTypedTool } from "./typed-tools";

/** Whether the vendor runs a tool itself. */
const isHosted = (tool: JsonObject): boolean =>
  /^(?:(?:web_search|web_fetch|code_execution|tool_search_tool)_|mcp_toolset$)/.test(wordOf(tool.type));

/** Tool servers that the vendor calls itself: the call does not name their tools. */
const readServers = (servers: unknown): HostedTool[] =>
  objects(servers).map(({ name }) => ({
    ...{ type: "hosted", kind: "mcp", label: "mcp_servers", isOptional: false },
    name: textOf(name),
    ...{ maxUses: null, place: null, domainsField: null },
  }));

function kindOf(label: string): HostedTool["kind"] {
  if (label === "mcp_toolset") {
    return "mcp";
  }
  return label.startsWith("web_search_") ? "web_search" : "other";
}

const domainsFields = ["allowed_domains", "blocked_domains"];

const isNamed = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

function readHosted(tool: JsonObject): HostedTool {
  const label = wordOf(tool.type);
  return {
    type: "hosted",
    kind: kindOf(label),
    name: textOf(tool.name ?? tool.mcp_server_name),
    label,
    isOptional: false,
    maxUses: typeof tool.max_uses === "number" ? tool.max_uses : null,
    place: isJsonObject(tool.user_location) ? tool.user_location : null,
    domainsField: domainsFields.find((field) => isNamed(tool[field])) ?? null,
  };
}

const nameOf = (tool: JsonObject): string =>
  typeof tool.name === "string" && tool.name !== ""
    ? tool.name
    : cannotConvert(
        tool.type === undefined ? errorMessages.namelessTool() : errorMessages.noTool(wordOf(tool.type)),
      );

function readFunction(tool: JsonObject): FunctionTool {
  const name = nameOf(tool);
  const isPlain = tool.type === undefined || tool.type === null || tool.type === "custom";
  if (!isPlain && !isJsonObject(tool.input_schema)) {
    const typed = findTypedTool(textOf(tool.type)) ?? cannotConvert(errorMessages.noTool(wordOf(tool.type)));
    return { type: "function", name, isStrict: false, ...typed };
  }
  return {
    type: "function",
    name,
    description: optionalText(tool.description, "tools: description"),
    parameters: optionalFields(tool.input_schema, "tools: input_schema"),
    isStrict: tool.strict === true,
  };
}

function readChoice(choice: JsonObject): ToolChoice | null {
  switch (choice.type) {
    case undefined:
      return null;
    case "auto":
    case "none":
    case "any":
      return { type: choice.type };
    case "tool":
      return { type: "tool", name: requireText(choice.name, "tool_choice.name") };
    default:
      return cannotConvert(errorMessages.noToolChoice(wordOf(choice.type)));
  }
}

/** Reads `tools` and `tool_choice`. Throws cannotConvert for a tool whose loss would change the request's meaning. */
export function readTools(
  fields: JsonObject,
): Pick<Conversation, "tools" | "choice" | "allowed" | "isSerial"> {
  const choice = optionalFields(fields.tool_choice, "tool_choice");
  return {
    tools: [
      ...objects(fields.tools).map((tool) => (isHosted(tool) ? readHosted(tool) : readFunction(tool))),
      ...readServers(fields.mcp_servers),
    ],
    choice: readChoice(choice),
    allowed: null,
    isSerial: choice.disable_parallel_tool_use === true,
  };
}
