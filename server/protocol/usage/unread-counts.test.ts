import { expect, test } from "vitest";
import { unreadCount } from "./unread-counts";

test.each([
  [{ prompt_tokens: "many", completion_tokens: 5 }, true, "prompt_tokens"],
  [{ prompt_tokens: -1 }, true, "prompt_tokens"],
  [{ input_tokens: 1e12 }, true, "input_tokens"],
  [{ prompt_tokens: 3, prompt_tokens_details: { cached_tokens: 1.5 } }, true, "prompt_tokens_details"],
  // A cache has separate prices.
  [{ prompt_tokens: 3, cache_store_tokens: 7 }, true, "cache_store_tokens"],
  [
    { prompt_tokens: 3, prompt_tokens_details: { tokens_cached_for_a_day: 7 } },
    true,
    "prompt_tokens_details",
  ],
  [{ tokens: { prompt: 3 }, output_token_count: 9 }, false, "output_token_count"],
  [{ billed_units: { input_tokens: 3 } }, false, "billed_units"],
])("%j, with a count that is read: %j, has an unread count: %s", (usage, isRead, name) => {
  expect(unreadCount(usage, isRead)).toBe(name);
});

test.each([
  [{ prompt_tokens: 3, completion_tokens: "5", total_tokens: 8 }, true],
  [{ prompt_tokens: 3, prompt_tokens_details: { cached_tokens: null, audio_tokens: 7 }, cost: 0.1 }, true],
  [{ prompt_tokens: 3, prompt_cache_hit_tokens: 1, prompt_cache_miss_tokens: 2, num_cached_tokens: 1 }, true],
  [{ prompt_tokens: 3, cache_discount_tokens: 0, cached_tokens_details: null }, true],
  // There are no counts, so none is unread.
  [{}, false],
  [{ prompt_tokens: null, total_tokens: 0 }, false],
  [null, false],
  ["7 tokens", false],
])("%j has no unread count (with a count that is read: %j)", (usage, isRead) => {
  expect(unreadCount(usage, isRead)).toBeNull();
});
