/** The tools that a vendor runs, in a call that stays in its dialect. */
import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, objects, wordOf } from "../fields";

/** Tools that cost only their tokens: the client runs them, or they are only an address. */
const unpaid: unknown[] = [
  ...["function", "custom", "namespace", "mcp", "tool_search"],
  ...["local_shell", "apply_patch", "computer", "computer_use_preview"],
];

/**
 * Whether a channel's prices cover a tool. Vendors charge for searches, pictures and containers in addition to the
 * tokens, so those are sent only if an operator says that the prices cover them.
 */
function isServed(tool: JsonObject, { premiumTiers, webSearch }: Capabilities): boolean {
  const isLocalShell =
    tool.type === "shell" && isJsonObject(tool.environment) && tool.environment.type === "local";
  const isSearch = wordOf(tool.type).startsWith("web_search");
  return premiumTiers || unpaid.includes(tool.type) || isLocalShell || (isSearch && webSearch);
}

/** Keeps only served tools in an item that adds tools. */
export const withServedTools = (item: JsonObject, capabilities: Capabilities): JsonObject => ({
  ...item,
  tools: objects(item.tools).filter((tool) => isServed(tool, capabilities)),
});

/** Members to set, and members to leave out. `refused`: the types of the tools that are not sent. */
type ToolMembers = { values: JsonObject; dropped: string[]; refused: string[] };

/**
 * Removes the tools that are not served: agents send them by habit, and a refusal would shut them out. Throws
 * cannotConvert if the call has to use one of them.
 */
export function servedTools({ tools, tool_choice: choice }: JsonObject, takes: Capabilities): ToolMembers {
  const list = objects(tools);
  const served = list.filter((tool) => isServed(tool, takes));
  const refused = list.filter((tool) => !isServed(tool, takes)).map(({ type }) => wordOf(type));
  const [first] = refused;
  if (first === undefined) {
    return { values: {}, dropped: [], refused };
  }
  const forced = isJsonObject(choice) && choice.type !== "allowed_tools" ? choice.type : null;
  const isForced = list.some((tool) => tool.type === forced) && !served.some((tool) => tool.type === forced);
  if (isForced || (served.length === 0 && choice === "required")) {
    return cannotConvert(errorMessages.noServerTool(isForced ? wordOf(forced) : first));
  }
  if (served.length === 0) {
    return { values: {}, dropped: ["tools", "tool_choice"], refused };
  }
  const isAllowed = isJsonObject(choice) && choice.type === "allowed_tools";
  const allowed = isAllowed
    ? { tool_choice: { ...choice, tools: objects(choice.tools).filter((tool) => isServed(tool, takes)) } }
    : {};
  return { values: { tools: served, ...allowed }, dropped: [], refused };
}
