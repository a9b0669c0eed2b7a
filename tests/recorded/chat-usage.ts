import type { Fields } from "./corpus";
import { at, count, type Usage } from "./usage";

/** The usage that a chunk or an answer carries: on top, in a choice, or in a vendor's corner. null: none. */
export function readUsage(chunk: Fields): Usage | null {
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  const usage = [
    chunk.usage,
    ...choices.map((choice) => at(choice, "usage")),
    at(chunk, "x_groq", "usage"),
  ].find(
    (sent) =>
      typeof at(sent, "prompt_tokens") === "number" || typeof at(sent, "completion_tokens") === "number",
  );
  if (usage === undefined) {
    return null;
  }
  const prompt = count(at(usage, "prompt_tokens"));
  const reasoning = count(
    at(usage, "completion_tokens_details", "reasoning_tokens"),
    at(usage, "reasoning_tokens"),
  );
  // Some vendors leave reasoning out of the completion: the total tells, or reasoning is the greater of the two.
  const listed = Math.max(count(at(usage, "completion_tokens")), count(at(usage, "total_tokens")) - prompt);
  return {
    prompt,
    cacheRead: count(
      at(usage, "prompt_tokens_details", "cached_tokens"),
      at(usage, "prompt_cache_hit_tokens"),
      at(usage, "cached_tokens"),
    ),
    cacheWrite: count(at(usage, "prompt_tokens_details", "cache_write_tokens")),
    cacheWrite1h: 0,
    completion: reasoning > listed ? listed + reasoning : listed,
    reasoning,
  };
}
