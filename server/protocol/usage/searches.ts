import type { Units } from "@/server/domain/units";
import { type JsonObject, objects, textOf } from "../fields";
import { MOST_PIECES } from "./usage";

/** The vendors' limit for a call that names none. */
const USUAL_SEARCHES = 10;

const isSearch = ({ type }: JsonObject) => /^(?:openrouter:)?web_search/.test(textOf(type));

const limitOf = (...named: unknown[]): number => {
  const limit = named.find((value) => Number.isInteger(value) && Number(value) > 0);
  return limit === undefined ? USUAL_SEARCHES : Number(limit);
};

/**
 * The most web searches that a call may make, in any dialect: by its tool, or by OpenAI's, Perplexity's and xAI's
 * options. undefined: it asks for none.
 */
export function mostSearches(fields: JsonObject): Units | undefined {
  const tools = objects(fields.tools).filter(isSearch);
  const hasOption = ["web_search_options", "search_parameters", "enable_search"].some((name) =>
    Boolean(fields[name]),
  );
  const limit = tools.reduce((sum, tool) => sum + limitOf(tool.max_uses, fields.max_tool_calls), 0);
  const all = Math.min(limit + (hasOption ? USUAL_SEARCHES : 0), MOST_PIECES);
  return all > 0 ? { web_search: all } : undefined;
}
