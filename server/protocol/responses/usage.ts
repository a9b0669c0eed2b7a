import { z } from "zod";
import { isJsonObject, type JsonObject, objects } from "../fields";
import { type ChatCounts, count, readCount, type Usage } from "../usage";
import { writeResponsesUsage } from "./usage-out";

const ResponsesUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }).nullish().catch(null),
  output_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
});

/** Whether an item is a search that vendors bill: pages that are opened are items of its type, too (litellm PR#39610). */
export function isSearchItem({ type, action }: JsonObject): boolean {
  return type === "web_search_call" && (!isJsonObject(action) || action.type === "search");
}

/** Searches of the web that a response was made with, which vendors bill by the call. */
function readSearches({ tool_usage: used, output }: JsonObject): number {
  const told = isJsonObject(used) && isJsonObject(used.web_search) ? used.web_search.num_requests : null;
  return readCount(told) ?? objects(output).filter(isSearchItem).length;
}

/**
 * Reads what a response counts: what is cached stands inside of `input_tokens`, reasoning inside of `output_tokens`.
 * null: there is nothing, or it says nothing. A prompt of zero is one that nobody counted.
 */
export function readResponsesCounts(response: JsonObject): ChatCounts | null {
  const value = response.usage;
  const parsed = value === undefined || value === null ? null : ResponsesUsage.safeParse(value);
  if (!parsed?.success) {
    return null;
  }
  const { input_tokens, output_tokens, total_tokens, ...details } = parsed.data;
  const prompt = input_tokens || null;
  const completion = output_tokens ?? null;
  if (prompt === null && completion === null) {
    return null;
  }
  // The total tells the half that was left out.
  const rest = (total_tokens ?? 0) - (prompt ?? completion ?? 0);
  const other = (prompt === null || completion === null) && rest > 0 ? rest : null;
  return {
    prompt: prompt ?? other,
    cacheRead: details.input_tokens_details?.cached_tokens ?? null,
    cacheWrite: details.input_tokens_details?.cache_write_tokens ?? null,
    completion: completion ?? other,
    reasoning: details.output_tokens_details?.reasoning_tokens ?? null,
    searches: readSearches(response),
  };
}

/** The usage object for a client of the same dialect: what is charged, beside what else the vendor said in it. */
export function completeUsage(sent: unknown, usage: Usage): JsonObject {
  const kept = isJsonObject(sent) ? sent : {};
  const detailsOf = (name: string) => (isJsonObject(kept[name]) ? kept[name] : {});
  const counts = writeResponsesUsage(usage);
  const details = ["input_tokens_details", "output_tokens_details"].map((name) => [
    name,
    { ...detailsOf(name), ...(counts[name] as JsonObject) },
  ]);
  return { ...kept, ...counts, ...Object.fromEntries(details) };
}
