/**
 * Tools that a vendor runs, and MCP servers that it asks, over upstreams of another dialect: one rule for all clients.
 * The gateway carries the tools that the upstream has. It drops the others, and names them in the answer's headers. It
 * refuses a call that forces a missing tool. A call that offers nothing else, or an MCP server, first tries every
 * channel that could carry it.
 */
import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import type { Conversation, HostedTool } from "./conversation";

const hostedOf = ({ tools }: Conversation): HostedTool[] => tools.filter((tool) => tool.type === "hosted");

const isForced = ({ name }: HostedTool, { choice }: Conversation): boolean =>
  choice?.type === "tool" && choice.name === name;

/**
 * The web search of a call, if the upstream has one. Throws cannotConvert if the call requires one of the other tools:
 * it is forced, or may not be left out.
 */
export function servedSearch(conversation: Conversation, { webSearch }: Capabilities): HostedTool | null {
  const { tools, choice } = conversation;
  const hosted = hostedOf(conversation);
  const served = hosted.filter((tool) => tool.isOptional || choice?.type !== "none");
  const search = (webSearch && served.find((tool) => tool.kind === "web_search")) || null;
  const isAlone = hosted.length === tools.length;
  const requiredTools = served.filter((tool) => !tool.isOptional);
  const forced = requiredTools.find((tool) => isForced(tool, conversation));
  const demanded =
    forced ?? requiredTools.find(({ kind }) => kind === "mcp") ?? (isAlone ? requiredTools[0] : undefined);
  // In a call with only hosted tools, a served search meets the demand: the model is expected to search, although
  // nothing guarantees it.
  const isMet = isAlone && search !== null && (forced ?? search) === search && demanded?.kind !== "mcp";
  return demanded && !isMet ? cannotConvert(errorMessages.noServerTool(demanded.label)) : search;
}

/** Marks the tools that the conversation does not force as optional: no upstream has them. */
export const withOptionalTools = (conversation: Conversation): Conversation => ({
  ...conversation,
  tools: conversation.tools.map((tool) =>
    tool.type === "hosted" && !isForced(tool, conversation) ? { ...tool, isOptional: true } : tool,
  ),
});

/** The client's names of the tools that the upstream does not get. */
export function droppedTools(conversation: Conversation, capabilities: Capabilities): string[] {
  const search = servedSearch(conversation, capabilities);
  return hostedOf(conversation)
    .filter((tool) => tool !== search)
    .map(({ label }) => label);
}
