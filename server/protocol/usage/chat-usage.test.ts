import { expect, test } from "vitest";
import { findChatUsage, laterCounts } from "./chat-usage";
import { type ChatCounts, reportedUsage } from "./usage";

const estimate = { input: 1, output: 1, reasoning: 0 };
/** Input, cache reads, cache writes for five minutes and for an hour, output. */
const classes = (counts: ChatCounts | null) => {
  const usage = reportedUsage(counts, estimate)?.usage;
  return [
    ...[usage?.inputTokens, usage?.cacheReadTokens, usage?.cacheWriteTokens],
    ...[usage?.cacheWrite1hTokens, usage?.outputTokens],
  ];
};
const read = (usage: object) => findChatUsage({ usage }, [], "included").counts;

const chat = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
test.each([
  // DashScope's explicit cache, written and read.
  [
    { ...chat, prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 90 } },
    [10, 0, 90, 0, 10],
  ],
  [
    { ...chat, prompt_tokens_details: { cache_creation: { ephemeral_5m_input_tokens: 90 } } },
    [10, 0, 90, 0, 10],
  ],
  // Written for an hour, in the details and at the top.
  [
    { ...chat, prompt_tokens_details: { cache_creation: { ephemeral_1h_input_tokens: 90 } } },
    [10, 0, 0, 90, 10],
  ],
  [
    { ...chat, cache_creation_input_tokens: 90, cache_creation: { ephemeral_1h_input_tokens: 60 } },
    [10, 0, 30, 60, 10],
  ],
  // The names of the Responses API, and of the messages dialect, which counts cached tokens separately from the input.
  [{ input_tokens: 100, output_tokens: 10, total_tokens: 110 }, [100, 0, 0, 0, 10]],
  [{ input_tokens: 100, output_tokens: 10, input_tokens_details: { cached_tokens: 60 } }, [40, 60, 0, 0, 10]],
  [{ input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 60 }, [100, 60, 0, 0, 10]],
  [
    { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 60, total_tokens: 110 },
    [40, 60, 0, 0, 10],
  ],
  [{ ...chat, input_tokens: 7, output_tokens: 7 }, [100, 0, 0, 0, 10]],
  // The AI SDK's names, and Amazon's.
  [
    { promptTokens: 100, completionTokens: 10, promptTokensDetails: { cachedTokens: 60 } },
    [40, 60, 0, 0, 10],
  ],
  [{ inputTokens: 40, outputTokens: 10, totalTokens: 110, cacheReadInputTokens: 60 }, [40, 60, 0, 0, 10]],
  [{ ...chat, promptTokens: 7, completionTokens: 7 }, [100, 0, 0, 0, 10]],
  // DeepSeek's halves, without their sum.
  [{ completion_tokens: 10, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }, [40, 60, 0, 0, 10]],
])("%j is charged as %j", (usage, expected) => {
  expect(classes(read(usage))).toEqual(expected);
});

test("tokens that a stream writes to a cache first and reads from it at the end are charged once", () => {
  const [begun, ended] = [
    read({ ...chat, prompt_tokens_details: { cache_write_tokens: 90 } }),
    read({ ...chat, prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 0 } }),
  ] as [ChatCounts, ChatCounts];
  expect(classes(laterCounts(begun, ended))).toEqual([10, 90, 0, 0, 10]);
  // Members that a later event leaves out stay as they are.
  expect(classes(laterCounts(begun, read(chat) as ChatCounts))).toEqual([10, 0, 90, 0, 10]);
});

test("the service tier that an answer names stays if a later event of its stream does not name it", () => {
  const counts = (answer: object) => findChatUsage({ usage: chat, ...answer }, [], "included").counts;
  const [named, unnamed] = [counts({ service_tier: "flex" }), counts({ service_tier: "default" })];
  expect([named?.tier, unnamed?.tier]).toEqual(["flex", undefined]);
  expect(unnamed && laterCounts(named, unnamed).tier).toBe("flex");
  expect(reportedUsage(named, estimate)?.usage.tier).toBe("flex");
});
