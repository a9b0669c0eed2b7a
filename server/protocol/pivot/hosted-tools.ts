import { details } from "@/server/base/details";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import type { Conversation, HostedTool } from "./conversation";

/**
 * The web search of a call, where the upstream has one. Other tools of the vendor's go; throws cannotConvert if
 * nothing else was offered, or if one of them is demanded.
 */
export function servedSearch(
  { tools, choice }: Conversation,
  { webSearch }: Capabilities,
): HostedTool | null {
  const hosted = tools.filter((tool) => tool.type === "hosted");
  const served = hosted.filter((tool) => tool.isOptional || choice?.type !== "none");
  const search = (webSearch && served.find((tool) => tool.kind === "web_search")) || null;
  const isAlone = hosted.length === tools.length;
  const wanted = served.filter((tool) => !tool.isOptional);
  const forced = choice?.type === "tool" ? wanted.find((tool) => tool.name === choice.name) : undefined;
  const demanded = forced ?? (isAlone ? wanted[0] : undefined);
  // Nothing says that a search must happen; where there is no other tool, the model expects one.
  const isMet = isAlone && search !== null && (forced ?? search) === search;
  return demanded && !isMet ? cannotConvert(details.noServerTool(demanded.label)) : search;
}
