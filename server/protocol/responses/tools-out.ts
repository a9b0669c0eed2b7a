import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import type { JsonObject } from "../fields";
import type { Conversation, FunctionTool, HostedTool, ToolChoice } from "../pivot/conversation";
import { servedSearch } from "../pivot/hosted-tools";
import { offerTools } from "../tools/offered-tools";
import { fitsStrictMode } from "../tools/strict-schema";
import type { ToolNames } from "../tools/tool-names";

const MAX_NAME_CHARACTERS = 64;

/** Always sets `strict`: the default is true in this dialect, and a schema that does not fit is refused. */
function toFunction(tool: FunctionTool, names: ToolNames): JsonObject {
  // OpenAI refuses an object schema without properties.
  const parameters = { type: "object", properties: {}, ...tool.parameters };
  return {
    type: "function",
    name: names.toUpstream(tool.name),
    ...(tool.description !== "" && { description: tool.description }),
    parameters,
    strict: tool.isStrict && fitsStrictMode(parameters),
  };
}

function toChoice(choice: ToolChoice | null, names: ToolNames): JsonObject {
  switch (choice?.type) {
    case undefined:
      return {};
    case "any":
      return { tool_choice: "required" };
    case "tool":
      return { tool_choice: { type: "function", name: names.toUpstream(choice.name) } };
    default:
      return { tool_choice: choice?.type };
  }
}

function toSearch({ place, domainsField }: HostedTool): JsonObject {
  if (domainsField !== null) {
    return cannotConvert(errorMessages.noSearchOption(domainsField));
  }
  const approximate = Object.fromEntries(
    ["city", "country", "region", "timezone"].flatMap((field) => {
      const value = place?.[field];
      return typeof value === "string" ? [[field, value]] : [];
    }),
  );
  return { type: "web_search", ...(place && { user_location: { type: "approximate", ...approximate } }) };
}

/**
 * Writes a conversation's tools, with their upstream names. Throws cannotConvert for a tool whose loss would change the
 * request's meaning.
 */
export function toResponsesTools(
  conversation: Conversation,
  capabilities: Capabilities,
): { fields: JsonObject; names: ToolNames } {
  const { choice } = conversation;
  const { offered, names } = offerTools(conversation, MAX_NAME_CHARACTERS);
  const search = servedSearch(conversation, capabilities);
  const tools = [...offered.map((tool) => toFunction(tool, names)), ...(search ? [toSearch(search)] : [])];
  if (tools.length === 0) {
    return { fields: {}, names };
  }
  const fields = {
    tools,
    // A choice concerns the client's own tools; the model decides about a search.
    ...(offered.length > 0 && toChoice(choice, names)),
    ...(conversation.isSerial && { parallel_tool_calls: false }),
  };
  return { fields, names };
}
