import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, wordOf } from "../fields";

/** Tools that the vendor runs itself. */
export const isServerTool = (tool: JsonObject): boolean =>
  /^(web_search|web_fetch|code_execution|tool_search_tool)_/.test(wordOf(tool.type));

const isWebSearch = (tool: JsonObject): boolean => /^web_search_/.test(wordOf(tool.type));

function toSearchOptions(search: JsonObject): JsonObject {
  for (const field of ["allowed_domains", "blocked_domains"]) {
    const domains = search[field];
    if (Array.isArray(domains) && domains.length > 0) {
      throw new GatewayError("cannotConvert", details.noSearchOption(field));
    }
  }
  const place = isJsonObject(search.user_location) ? search.user_location : null;
  const approximate = Object.fromEntries(
    ["city", "country", "region", "timezone"].flatMap((field) => {
      const value = place?.[field];
      return typeof value === "string" ? [[field, value]] : [];
    }),
  );
  return { web_search_options: place ? { user_location: { type: "approximate", approximate } } : {} };
}

/**
 * A search where the upstream has one. Other server tools go; throws cannotConvert if nothing else was offered, or if
 * one of them is demanded.
 */
export function toServerTools(
  tools: JsonObject[],
  choice: JsonObject,
  capabilities: Capabilities,
): JsonObject {
  const served = choice.type === "none" ? [] : tools.filter(isServerTool);
  const search = capabilities.webSearch ? served.find(isWebSearch) : undefined;
  const isAlone = tools.every(isServerTool);
  const forced = choice.type === "tool" ? served.find((tool) => tool.name === choice.name) : undefined;
  const demanded = forced ?? (isAlone ? served[0] : undefined);
  // Nothing in the chat dialect says that a search must happen; where there is no other tool, the model expects one.
  const isMet = isAlone && search !== undefined && (forced ?? search) === search;
  if (demanded && !isMet) {
    throw new GatewayError("cannotConvert", details.noServerTool(wordOf(demanded.type)));
  }
  return search ? toSearchOptions(search) : {};
}
