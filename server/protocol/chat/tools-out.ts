import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import type { JsonObject } from "../fields";
import type { Conversation, FunctionTool, HostedTool, ToolChoice } from "../pivot/conversation";
import { servedSearch } from "../pivot/hosted-tools";
import { offerTools } from "../tools/offered-tools";
import { fitsStrictMode } from "../tools/strict-schema";
import type { ToolNames } from "../tools/tool-names";

/** The limit of OpenAI and of most vendors that copy it. */
const MAX_NAME_CHARACTERS = 64;

function toFunction(tool: FunctionTool, names: ToolNames): JsonObject {
  // OpenAI refuses an object schema without properties.
  const parameters = { type: "object", properties: {}, ...tool.parameters };
  return {
    type: "function",
    function: {
      name: names.toUpstream(tool.name),
      ...(tool.description !== "" && { description: tool.description }),
      parameters,
      ...(tool.isStrict && fitsStrictMode(parameters) && { strict: true }),
    },
  };
}

function toChoice(choice: ToolChoice | null, names: ToolNames): JsonObject {
  switch (choice?.type) {
    case undefined:
      return {};
    case "any":
      return { tool_choice: "required" };
    case "tool":
      return { tool_choice: { type: "function", function: { name: names.toUpstream(choice.name) } } };
    default:
      return { tool_choice: choice?.type };
  }
}

function toSearchOptions({ place, domainsField }: HostedTool): JsonObject {
  if (domainsField !== null) {
    return cannotConvert(errorMessages.noSearchOption(domainsField));
  }
  const approximate = Object.fromEntries(
    ["city", "country", "region", "timezone"].flatMap((field) => {
      const value = place?.[field];
      return typeof value === "string" ? [[field, value]] : [];
    }),
  );
  return { web_search_options: place ? { user_location: { type: "approximate", approximate } } : {} };
}

/**
 * Writes a conversation's tools, with their upstream names. Throws cannotConvert for a tool whose loss would change the
 * request's meaning.
 */
export function toChatTools(
  conversation: Conversation,
  capabilities: Capabilities,
): { fields: JsonObject; names: ToolNames } {
  const { choice } = conversation;
  const { offered, names } = offerTools(conversation, MAX_NAME_CHARACTERS);
  const search = servedSearch(conversation, capabilities);
  const served = search ? toSearchOptions(search) : {};
  // Upstreams refuse a choice without tools (CliRelay#739).
  if (offered.length === 0) {
    return { fields: served, names };
  }
  const fields = {
    tools: offered.map((tool) => toFunction(tool, names)),
    ...toChoice(choice, names),
    ...(conversation.isSerial && { parallel_tool_calls: false }),
    ...served,
  };
  return { fields, names };
}
