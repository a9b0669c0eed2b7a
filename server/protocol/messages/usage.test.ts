import { expect, test } from "vitest";
import { readMessagesUsage, writeMessagesUsage } from "./usage";

const counts = {
  inputTokens: 3,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 550,
  reasoningTokens: 0,
};
const sent = { input_tokens: 3, output_tokens: 550 };

test.each([
  ["nothing cached", sent, counts],
  [
    "litellm#9812: a written cache, whole, is 5 m and counted once",
    { ...sent, cache_creation_input_tokens: 12_304 },
    { ...counts, cacheWriteTokens: 12_304 },
  ],
  [
    "a written cache, split, is the two of its split",
    {
      ...sent,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
    },
    { ...counts, cacheWriteTokens: 60, cacheWrite1hTokens: 40 },
  ],
  [
    "a split without its total",
    { ...sent, cache_creation: { ephemeral_1h_input_tokens: 40 } },
    { ...counts, cacheWrite1hTokens: 40 },
  ],
  ["a read cache", { ...sent, cache_read_input_tokens: 7 }, { ...counts, cacheReadTokens: 7 }],
  ["nulls", { ...sent, cache_read_input_tokens: null, cache_creation: null }, counts],
  [
    "thinking, a part of the output",
    { ...sent, output_tokens_details: { thinking_tokens: 20 } },
    { ...counts, reasoningTokens: 20 },
  ],
  [
    "a compaction beside the counts on top",
    {
      ...sent,
      iterations: [
        { type: "compaction", input_tokens: 60_385, output_tokens: 522 },
        { type: "message", ...sent },
      ],
    },
    { ...counts, inputTokens: 60_388, outputTokens: 1_072 },
  ],
])("%s", (_name, usage, read) => {
  expect(readMessagesUsage(usage)).toEqual(read);
});

test.each([[undefined], [null], ["7"], [{}], [{ input_tokens: -1 }], [{ input_tokens: 1.5 }]])(
  "%j counts nothing",
  (usage) => {
    expect(readMessagesUsage(usage)).toBeNull();
  },
);

test("thinking that the vendor does not count apart is estimated, and never more than the output", () => {
  expect(readMessagesUsage(sent, 12.2)?.reasoningTokens).toBe(13);
  expect(readMessagesUsage(sent, 900)?.reasoningTokens).toBe(550);
});

test("both cache fields are present in what is written", () => {
  expect(writeMessagesUsage({ ...counts, cacheWriteTokens: 60, cacheWrite1hTokens: 40 })).toEqual({
    input_tokens: 3,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 0,
    output_tokens: 550,
  });
});
