/** How the gateway charges upstreams' counts: whole or streamed, in both dialects. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import {
  assistantMessage,
  chatCounts,
  context,
  counted,
  messagesCounts,
  reasoned,
  TEXT,
} from "@/tests/support/counted-answers";
import { readChatAnswer } from "../chat/answer";
import type { JsonObject } from "../fields";

const count = fc.constantFrom(undefined, null, 0, 4, 20, 50, 109);
const maybe = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.option(fc.record(members), { nil: undefined });
const chatUsage = fc.record({
  ...{ prompt_tokens: count, completion_tokens: count, total_tokens: count },
  prompt_tokens_details: maybe({ cached_tokens: count, cache_write_tokens: count }),
  completion_tokens_details: maybe({ reasoning_tokens: count }),
});

const written = fc.tuple(fc.nat(50), fc.nat(50)).map(([short, long]) => ({
  cache_creation_input_tokens: short + long,
  cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
}));
const messagesUsageWith = (more: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(
      fc.record({ input_tokens: fc.nat(50), cache_read_input_tokens: fc.constantFrom(undefined, 0, 30) }),
      fc.option(written),
      fc.record({ output_tokens: fc.integer({ min: 1, max: 50 }), ...more }),
    )
    .map(([read, cached, rest]): JsonObject => ({ ...read, ...cached, ...rest }));
const iteration = messagesUsageWith({
  type: fc.constantFrom("message", "compaction", "advisor_message"),
  model: fc.constantFrom(undefined, "called", "another"),
});
const messagesUsage = messagesUsageWith({
  output_tokens_details: maybe({ thinking_tokens: count }),
  iterations: fc.option(fc.array(iteration, { maxLength: 3 }), { nil: undefined }),
});

describe("every usage is charged the same streamed and whole", () => {
  test("in the chat dialect", () => {
    fc.assert(
      fc.property(chatUsage, fc.constantFrom("included", "separate"), (usage, placed) => {
        const { whole, streamed } = chatCounts(usage, { placed });
        expect([streamed.usage, streamed.source]).toEqual([whole.usage, whole.source]);
      }),
      { numRuns: 500 },
    );
  });

  test("in the messages dialect, also if the start counts only the first prompt", () => {
    fc.assert(
      fc.property(messagesUsage, (usage) => {
        const { whole, streamed } = messagesCounts(usage);
        expect(streamed).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });
});

describe("reasoning is a part of completion_tokens or separate from it", () => {
  test.each([
    ["OpenRouter: a part, even if its count of reasoning is greater", reasoned(65), [50, 50]],
    ["xAI: separate, as the total shows", reasoned(65, { total_tokens: 135 }), [115, 65]],
    [
      "Gemini: the total includes thinking that is listed nowhere",
      { ...counted, total_tokens: 109 },
      [89, 0],
    ],
    [
      "without a total: a part, as the upstream's count is believed",
      { ...reasoned(65), total_tokens: undefined },
      [50, 50],
    ],
    ["Vercel's AI gateway: always separate", reasoned(30), [80, 30], "separate"],
    ["Vercel's AI gateway: separate, even if there is more reasoning", reasoned(65), [115, 65], "separate"],
    [
      "Vercel's AI gateway: not added twice if the total includes it",
      reasoned(30, { total_tokens: 100 }),
      [80, 30],
      "separate",
    ],
  ] as const)("%s", (...[, usage, [outputTokens, reasoningTokens], placed]) => {
    const { streamed } = chatCounts(usage, { ...(placed && { placed }) });
    const expected = { inputTokens: 20, outputTokens, reasoningTokens };
    expect(streamed).toMatchObject({ source: "upstream", usage: expected });
  });

  test("a client never sees more reasoning than completion", () => {
    const choices = [{ index: 0, message: assistantMessage(TEXT), finish_reason: "stop" }];
    const read = atOnce(readChatAnswer({ choices, usage: reasoned(65) }, context));
    expect(read?.answer.usage).toMatchObject({
      ...counted,
      completion_tokens_details: { reasoning_tokens: 50 },
    });
  });
});

test.each([
  ["a million for a few tokens", 1_000_000, 50],
  ["one more than the longest answer", 70 + 131_073, 50],
  ["as much as the longest answer", 70 + 131_072, 50 + 131_072],
])("no one pays for a total that thinking cannot explain: %s", (_name, total, outputTokens) => {
  const { whole, streamed } = chatCounts({ ...counted, total_tokens: total });
  expect(streamed).toMatchObject({ source: "upstream", usage: { inputTokens: 20, outputTokens } });
  expect(whole.usage).toEqual(streamed.usage);
});

test("a total that its own listed reasoning explains is believed, however large it is", () => {
  const usage = reasoned(500_000, { total_tokens: 500_070 });
  expect(chatCounts(usage).streamed.usage).toMatchObject({ outputTokens: 500_050, reasoningTokens: 500_000 });
});

test.each([
  [
    "an advisor of another model counts as another model",
    { type: "advisor_message", model: "another" },
    true,
  ],
  ["an advisor of the called model does not", { type: "advisor_message", model: "called" }, undefined],
  ["a compaction without a model does not", { type: "compaction" }, undefined],
])("whole and streamed, %s", (_name, iteration, hasOtherModel) => {
  const counts = { input_tokens: 20, output_tokens: 50 };
  const usage = { ...counts, iterations: [{ ...iteration, input_tokens: 7, output_tokens: 3 }] };
  const { whole, streamed } = messagesCounts(usage);
  expect(whole).toEqual(streamed);
  expect(streamed).toMatchObject({ usage: { inputTokens: 27, outputTokens: 53 } });
  expect(streamed.hasOtherModel).toBe(hasOtherModel);
});

test("cached tokens that a total adds to the prompt are input, not output", () => {
  const usage = { ...counted, total_tokens: 1_070, cache_read_input_tokens: 1_000 };
  const expected = { inputTokens: 20, cacheReadTokens: 1_000, outputTokens: 50 };
  expect(chatCounts(usage).streamed.usage).toMatchObject(expected);
});
