import { z } from "zod";
import { isJsonObject, type JsonObject, objects } from "../fields";
import { tierOf } from "../usage/standard-terms";
import { type ChatCounts, count, readCount, type Usage } from "../usage/usage";
import { writeResponsesUsage } from "./usage-out";

const ResponsesUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(null),
  output_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
  // The chat dialect's names, from vendors that serve both dialects with one counter.
  prompt_tokens: count,
  completion_tokens: count,
  cache_read_input_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
});

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
  const value = response.usage;
  const parsed = value === undefined || value === null ? null : ResponsesUsage.safeParse(value);
  if (!parsed?.success) {
    return null;
  }
  const { total_tokens, ...usage } = parsed.data;
  const tier = tierOf(response.service_tier);
  const inputs = usage.input_tokens_details ?? usage.prompt_tokens_details;
  const outputs = usage.output_tokens_details ?? usage.completion_tokens_details;
  const prompt = usage.input_tokens || usage.prompt_tokens || null;
  const completion = usage.output_tokens ?? usage.completion_tokens ?? null;
  if (prompt === null && completion === null) {
    return null;
  }
  // The total gives the half that is missing.
  const rest = (total_tokens ?? 0) - (prompt ?? completion ?? 0);
  const other = (prompt === null || completion === null) && rest > 0 ? rest : null;
  return {
    prompt: prompt ?? other,
    cacheRead: inputs?.cached_tokens || (usage.cache_read_input_tokens ?? inputs?.cached_tokens ?? null),
    cacheWrite: inputs?.cache_write_tokens ?? null,
    completion: completion ?? other,
    reasoning: outputs?.reasoning_tokens ?? null,
    searches: readSearches(response),
    ...(tier && { tier }),
  };
}

/** The usage object for a client of the same dialect: the charged counts, and the vendor's other members. */
export function completeUsage(vendorUsage: unknown, usage: Usage): JsonObject {
  const kept = isJsonObject(vendorUsage) ? vendorUsage : {};
  const detailsOf = (name: string) => (isJsonObject(kept[name]) ? kept[name] : {});
  const counts = writeResponsesUsage(usage);
  const details = ["input_tokens_details", "output_tokens_details"].map((name) => [
    name,
    { ...detailsOf(name), ...(counts[name] as JsonObject) },
  ]);
  return { ...kept, ...counts, ...Object.fromEntries(details) };
}
