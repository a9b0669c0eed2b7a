import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import { optionalFields, optionalText, requireText } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, objects, textOf, wordOf } from "../fields";
import { mapToolNames, type ToolNames } from "../tool-names";
import { fitsStrictMode } from "./json-schema";
import { isServerTool, toServerTools } from "./server-tools";
import { findTypedTool } from "./typed-tools";

/** What OpenAI and most who copy it allow. */
const MAX_NAME_CHARACTERS = 64;

const nameOf = (tool: JsonObject): string => {
  if (typeof tool.name !== "string" || tool.name === "") {
    throw new GatewayError(
      "cannotConvert",
      tool.type === undefined ? details.namelessTool() : details.noTool(wordOf(tool.type)),
    );
  }
  return tool.name;
};

function toFunction(tool: JsonObject, names: ToolNames): JsonObject {
  const name = names.toUpstream(nameOf(tool));
  const isPlain = tool.type === undefined || tool.type === null || tool.type === "custom";
  if (!isPlain && !isJsonObject(tool.input_schema)) {
    const typed = findTypedTool(textOf(tool.type));
    if (!typed) {
      throw new GatewayError("cannotConvert", details.noTool(wordOf(tool.type)));
    }
    return { type: "function", function: { name, ...typed } };
  }
  // OpenAI refuses an object schema without properties.
  const schema = optionalFields(tool.input_schema, "tools: input_schema");
  const parameters = { type: "object", properties: {}, ...schema };
  const description = optionalText(tool.description, "tools: description");
  return {
    type: "function",
    function: {
      name,
      ...(description !== "" && { description }),
      parameters,
      ...(tool.strict === true && fitsStrictMode(parameters) && { strict: true }),
    },
  };
}

function toChoice(choice: JsonObject, names: ToolNames): JsonObject {
  switch (choice.type) {
    case undefined:
      return {};
    case "auto":
    case "none":
      return { tool_choice: choice.type };
    case "any":
      return { tool_choice: "required" };
    case "tool":
      return {
        tool_choice: {
          type: "function",
          function: { name: names.toUpstream(requireText(choice.name, "tool_choice.name")) },
        },
      };
    default:
      throw new GatewayError("cannotConvert", details.noToolChoice(wordOf(choice.type)));
  }
}

/**
 * `tools` and `tool_choice` of a messages request for the chat dialect, and the names under which its tools go. Throws
 * cannotConvert for a tool whose loss would change what is asked.
 */
export function toChatTools(
  request: JsonObject,
  capabilities: Capabilities,
): { fields: JsonObject; names: ToolNames } {
  const tools = objects(request.tools);
  const choice = optionalFields(request.tool_choice, "tool_choice");
  const offered = tools.filter((tool) => !isServerTool(tool));
  const forced = choice.type === "tool" && typeof choice.name === "string" ? choice.name : null;
  const names = mapToolNames(offered.map(nameOf), MAX_NAME_CHARACTERS, forced);
  const served = toServerTools(tools, choice, capabilities);
  // Upstreams refuse a choice without tools (CliRelay#739).
  if (offered.length === 0) {
    return { fields: served, names };
  }
  const fields = {
    tools: offered.map((tool) => toFunction(tool, names)),
    ...toChoice(choice, names),
    ...(choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
    ...served,
  };
  return { fields, names };
}
