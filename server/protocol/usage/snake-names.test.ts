import { expect, test } from "vitest";
import { findChatUsage } from "./chat-usage";
import { withSnakeNames } from "./snake-names";
import { unreadCount } from "./unread-counts";

test("a usage object in the dialect's own names stays the same object", () => {
  const usage = { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } };
  expect(withSnakeNames(usage)).toBe(usage);
});

test.each<[what: string, own: unknown, other: unknown]>([
  ["a count", 9, 1],
  ["details", { cached_tokens: 3, audio_tokens: 1 }, { cachedTokens: 4 }],
])("%s in both forms keep the value under the dialect's name, in either order", (_what, own, other) => {
  expect(withSnakeNames({ prompt_tokens: own, promptTokens: other })).toEqual({ prompt_tokens: own });
  expect(withSnakeNames({ promptTokens: other, prompt_tokens: own })).toEqual({ prompt_tokens: own });
});

test("a null under the dialect's name is no count", () => {
  expect(withSnakeNames({ promptTokens: 9, prompt_tokens: null, total_tokens: null })).toEqual({
    prompt_tokens: 9,
    total_tokens: null,
  });
});

test.each<[string, object, object]>([
  [
    "Converse",
    { inputTokens: 9, outputTokens: 7, cacheReadInputTokens: 4, cacheWriteInputTokens: 50, totalTokens: 70 },
    { prompt: 63, completion: 7, cacheRead: 4, cacheWrite: 50 },
  ],
  [
    "the AI SDK",
    { inputTokens: 9, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 3, totalTokens: 16 },
    { prompt: 9, completion: 7, cacheRead: 4, reasoning: 3 },
  ],
  [
    "later versions of the AI SDK",
    {
      ...{ inputTokens: 9, outputTokens: 7, cachedInputTokens: 4, totalTokens: 16 },
      inputTokenDetails: { noCacheTokens: 3, cacheReadTokens: 4, cacheWriteTokens: 2 },
      outputTokenDetails: { textTokens: 4, reasoningTokens: 3 },
    },
    { prompt: 9, completion: 7, cacheRead: 4, cacheWrite: 2, reasoning: 3 },
  ],
])("the cache and the reasoning are counted under the names of %s", (_vendor, usage, counts) => {
  const found = findChatUsage({ usage }, [], "included");
  expect(found.counts).toMatchObject(counts);
  expect(unreadCount(found.usage, true)).toBeNull();
});

test("names of every object's prototype are names like any other", () => {
  const usage = JSON.parse('{"promptTokens":9,"__proto__":{"inputTokens":1},"toString":2}') as object;
  const read = withSnakeNames({ ...usage });
  expect(Object.keys(read).sort()).toEqual(["__proto__", "prompt_tokens", "to_string"]);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});
