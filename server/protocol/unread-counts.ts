/** Counts that stand in an answer and are not understood: they must not become a silent estimate. */
import { isJsonObject, type JsonObject } from "./fields";
import { readCount } from "./usage";

/** Members that a call is charged by, in all dialects: each is a count, or nothing. */
const CHARGED = new Set([
  ...["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "cached_tokens"],
  ...["reasoning_tokens", "thinking_tokens", "cache_write_tokens", "cache_creation_tokens"],
  ...["cache_read_input_tokens", "cache_creation_input_tokens", "prompt_cache_hit_tokens"],
  ...["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens", "promptTokenCount", "candidatesTokenCount"],
  ...["thoughtsTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount"],
]);

/** Others that name a cache and tell nothing more: what was missed, and the same once more. */
const REPEATED = new Set(["prompt_cache_miss_tokens", "num_cached_tokens", "cache_miss_tokens"]);

/** A cache has prices of its own, so what is said of it and not read is charged as something else. */
const OF_CACHE = /cach.*tok|tok.*cach/i;

const isSaid = (value: unknown): boolean =>
  typeof value === "number" ? value !== 0 : typeof value === "string" && /\d/.test(value);

/**
 * The first member of a usage object that says something and is not understood. `isRead`: something of it was. null: all
 * is well. Names alone, and at the most a hundred characters: what stands there may be anything.
 */
export function unreadCount(usage: unknown, isRead: boolean): string | null {
  if (!isJsonObject(usage)) {
    return null;
  }
  const unread = Object.entries(usage).find(([name, value]) => {
    if (isJsonObject(value)) {
      return unreadCount(value, true) !== null;
    }
    const isCharged = CHARGED.has(name) && value != null && readCount(value) === null;
    return isCharged || (isSaid(value) && OF_CACHE.test(name) && !CHARGED.has(name) && !REPEATED.has(name));
  });
  const [name] = unread ?? (isRead ? [] : (Object.entries(usage).find(isTokens) ?? []));
  return name?.slice(0, 100) ?? null;
}

const isTokens = ([name, value]: [string, unknown]): boolean =>
  isJsonObject(value)
    ? Object.entries(value as JsonObject).some(isTokens)
    : isSaid(value) && /tok/i.test(name);
