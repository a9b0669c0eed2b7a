/** Finds counts in an answer that the gateway does not understand: they must not silently become an estimate. */
import { isJsonObject, type JsonObject } from "../fields";
import { readCount } from "./usage";

/** Members that set the charge, in all dialects: each is a count, or missing. */
const CHARGED = new Set([
  ...["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "cached_tokens"],
  ...[
    "reasoning_tokens",
    "thinking_tokens",
    "cache_write_tokens",
    "cache_creation_tokens",
    "cache_read_tokens",
  ],
  ...["cache_read_input_tokens", "cache_creation_input_tokens", "prompt_cache_hit_tokens"],
  ...["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens", "promptTokenCount", "candidatesTokenCount"],
  ...["thoughtsTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount"],
]);

/** Cache members that add no information: missed tokens, and repetitions. */
const REPEATED = new Set([
  "prompt_cache_miss_tokens",
  "num_cached_tokens",
  "cache_miss_tokens",
  "no_cache_tokens",
]);

/** A cache has separate prices, so tokens under an unread cache name would be charged at the wrong price. */
const OF_CACHE = /cach.*tok|tok.*cach/i;

const isSaid = (value: unknown): boolean =>
  typeof value === "number" ? value !== 0 : typeof value === "string" && /\d/.test(value);

/**
 * The first member of a usage object that has a value and is not understood. `isRead`: other parts of the object were
 * read. null: none. Returns only names, with at most a hundred characters: the value may be anything.
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
