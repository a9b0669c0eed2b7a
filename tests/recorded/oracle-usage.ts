import type { Fields } from "./corpus";

/** The token counts of a recording. `prompt` has the cached ones in it, `completion` the reasoning. */
export type Usage = {
  prompt: number;
  cacheRead: number;
  cacheWrite: number;
  completion: number;
  reasoning: number;
};

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (inside, key) => (typeof inside === "object" && inside !== null ? (inside as Fields)[key] : undefined),
    value,
  );

/** The first of these that is a number. */
const count = (...values: unknown[]): number =>
  (values.find((value) => typeof value === "number") as number) ?? 0;

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
    completion: reasoning > listed ? listed + reasoning : listed,
    reasoning,
  };
}
