import { isJsonObject, type JsonObject, objects } from "../fields";
import { readItemCounts } from "../usage/chat-usage";
import { withSnakeNames } from "../usage/snake-names";
import { tierOf } from "../usage/standard-terms";
import { type ChatCounts, readCount, type Usage } from "../usage/usage";
import { writeResponsesUsage } from "./usage-out";

/** Whether an item is a search that vendors bill: opened pages are items of its type, too (litellm PR#39610). */
export function isSearchItem({ type, action }: JsonObject): boolean {
  return type === "web_search_call" && (!isJsonObject(action) || action.type === "search");
}

/** The web searches of a response, which vendors bill by the call. */
function readSearches({ tool_usage: used, output }: JsonObject): number {
  const count = isJsonObject(used) && isJsonObject(used.web_search) ? used.web_search.num_requests : null;
  return readCount(count) ?? objects(output).filter(isSearchItem).length;
}

/**
 * Reads the counts of a response: `input_tokens` includes cached tokens, `output_tokens` includes reasoning. null:
 * there are none. A prompt of zero is no count.
 */
export function readResponsesCounts(response: JsonObject): ChatCounts | null {
  const counts = readItemCounts(response.usage);
  const tier = tierOf(response.service_tier);
  return counts && { ...counts, searches: readSearches(response), ...(tier && { tier }) };
}

/** The usage object for a client of the same dialect: the charged counts, and the vendor's other members. */
export function completeUsage(vendorUsage: unknown, usage: Usage): JsonObject {
  const kept = isJsonObject(vendorUsage) ? withSnakeNames(vendorUsage) : {};
  const detailsOf = (name: string) => (isJsonObject(kept[name]) ? kept[name] : {});
  const counts = writeResponsesUsage(usage);
  const details = ["input_tokens_details", "output_tokens_details"].map((name) => [
    name,
    { ...detailsOf(name), ...(counts[name] as JsonObject) },
  ]);
  return { ...kept, ...counts, ...Object.fromEntries(details) };
}
