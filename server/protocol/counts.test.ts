/** How the gateway charges upstreams' counts: whole or streamed, in both dialects. */

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
import { readChatAnswer } from "./chat/answer";
import type { JsonObject } from "./fields";

const chatFixtures: [string, JsonObject][] = [
  ["plain counts", counted],
  ["cached tokens", { ...counted, prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 } }],
  ["reasoning", reasoned(30)],
  ["more reasoning than completion", reasoned(65)],
  ["a total with more in it", { ...counted, total_tokens: 109 }],
  ["no prompt", { completion_tokens: 50 }],
  ["no completion", { prompt_tokens: 20 }],
  ["nulls", { prompt_tokens: null, completion_tokens: null, total_tokens: null }],
  ["zeros", { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  ["a prompt of zero", { prompt_tokens: 0, completion_tokens: 26, total_tokens: 26 }],
  ["nothing", {}],
];

const compaction = { input_tokens: 100, cache_creation_input_tokens: 55_096, output_tokens: 71 };
const messagesFixtures: [string, JsonObject, JsonObject?][] = [
  ["plain counts", { input_tokens: 20, output_tokens: 50 }],
  ["a read cache", { input_tokens: 0, cache_read_input_tokens: 20, output_tokens: 50 }],
  [
    "a written cache, split",
    {
      input_tokens: 3,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
      output_tokens: 50,
    },
  ],
  ["thinking", { input_tokens: 20, output_tokens: 50, output_tokens_details: { thinking_tokens: 30 } }],
  [
    "a compaction with a written cache",
    {
      input_tokens: 172,
      cache_creation_input_tokens: 0,
      output_tokens: 5,
      iterations: [
        { type: "compaction", ...compaction },
        { type: "message", input_tokens: 172, output_tokens: 5 },
      ],
    },
    { ...compaction, cache_creation: { ephemeral_5m_input_tokens: 55_096 }, output_tokens: 5 },
  ],
  [
    "an advisor of another model",
    {
      input_tokens: 2_390,
      output_tokens: 121,
      iterations: [
        { type: "message", input_tokens: 1_128, output_tokens: 110 },
        { type: "advisor_message", model: "another", input_tokens: 2_518, output_tokens: 22 },
        { type: "message", input_tokens: 1_262, output_tokens: 11 },
      ],
    },
    { input_tokens: 1_128, output_tokens: 5 },
  ],
];

describe("every usage is charged the same streamed and whole", () => {
  test.each(chatFixtures)("chat: %s", (_name, usage) => {
    for (const placed of ["included", "separate"] as const) {
      const { whole, streamed } = chatCounts(usage, { placed });
      expect([streamed.usage, streamed.source]).toEqual([whole.usage, whole.source]);
    }
  });

  test.each(messagesFixtures)("messages: %s", (_name, usage, begun) => {
    const { whole, streamed } = messagesCounts(usage, begun);
    expect(streamed).toEqual(whole);
  });
});

describe("whether completion_tokens has the reasoning in it", () => {
  test.each([
    ["OpenRouter: it has, though its own count of it is greater", reasoned(65), [50, 50]],
    ["xAI: the total tells that it has not", reasoned(65, { total_tokens: 135 }), [115, 65]],
    [
      "Gemini: the total tells of thinking that is listed nowhere",
      { ...counted, total_tokens: 109 },
      [89, 0],
    ],
    ["without a total, what was said stands", { ...reasoned(65), total_tokens: undefined }, [50, 50]],
    ["Vercel's AI gateway: never", reasoned(30), [80, 30], "separate"],
    ["Vercel's AI gateway: also where there is more of it", reasoned(65), [115, 65], "separate"],
    ["and not again when the total has it too", reasoned(30, { total_tokens: 100 }), [80, 30], "separate"],
  ] as const)("%s", (...[, usage, [outputTokens, reasoningTokens], placed]) => {
    const { streamed } = chatCounts(usage, { ...(placed && { placed }) });
    const expected = { inputTokens: 20, outputTokens, reasoningTokens };
    expect(streamed).toMatchObject({ source: "upstream", usage: expected });
  });

  test("a client is told no more reasoning than completion", () => {
    const choices = [{ index: 0, message: assistantMessage(TEXT), finish_reason: "stop" }];
    const read = atOnce(readChatAnswer({ choices, usage: reasoned(65) }, context));
    expect(read?.answer.usage).toMatchObject({
      ...counted,
      completion_tokens_details: { reasoning_tokens: 50 },
    });
  });
});

test.each([
  ["a million beside a few", 1_000_000, 50],
  ["one more than the longest answer", 70 + 131_073, 50],
  ["as much as the longest answer", 70 + 131_072, 50 + 131_072],
])("a total that no thinking explains is charged to nobody: %s", (_name, total, outputTokens) => {
  const { whole, streamed } = chatCounts({ ...counted, total_tokens: total });
  expect(streamed).toMatchObject({ source: "upstream", usage: { inputTokens: 20, outputTokens } });
  expect(whole.usage).toEqual(streamed.usage);
});

test("a total that its own listed reasoning explains is believed, however long that is", () => {
  const usage = reasoned(500_000, { total_tokens: 500_070 });
  expect(chatCounts(usage).streamed.usage).toMatchObject({ outputTokens: 500_050, reasoningTokens: 500_000 });
});

test.each([
  ["an advisor of another model is named as one", { type: "advisor_message", model: "another" }, true],
  ["one of the model that was called is not", { type: "advisor_message", model: "called" }, undefined],
  ["nor a compaction, which says no model", { type: "compaction" }, undefined],
])("whole and streamed, %s", (_name, iteration, hasOtherModel) => {
  const counts = { input_tokens: 20, output_tokens: 50 };
  const usage = { ...counts, iterations: [{ ...iteration, input_tokens: 7, output_tokens: 3 }] };
  const { whole, streamed } = messagesCounts(usage);
  expect(whole).toEqual(streamed);
  expect(streamed).toMatchObject({ usage: { inputTokens: 27, outputTokens: 53 } });
  expect(streamed.hasOtherModel).toBe(hasOtherModel);
});

test("a total that has the cached tokens beside the prompt makes them input, not output", () => {
  const usage = { ...counted, total_tokens: 1_070, cache_read_input_tokens: 1_000 };
  const expected = { inputTokens: 20, cacheReadTokens: 1_000, outputTokens: 50 };
  expect(chatCounts(usage).streamed.usage).toMatchObject(expected);
});
