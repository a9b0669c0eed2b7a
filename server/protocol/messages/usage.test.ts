import { expect, test } from "vitest";
import { MessagesReader } from "./reader";
import { readMessagesUsage, writeMessagesUsage } from "./usage";

const counts = {
  ...{ inputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
  ...{ outputTokens: 550, reasoningTokens: 0 },
};
const estimate = { input: 40, output: 7, reasoning: 2 };
const read = (usage: unknown) => readMessagesUsage(usage, { ...estimate, reasoning: 0 });
const vendorUsage = { input_tokens: 3, output_tokens: 550 };

const HALF = { isWhole: false };

/** Missing counts are estimated: an answer of `estimate.output`, a prompt of `estimate.input`. */
test.each<[what: string, usage: object, counted: object, half?: typeof HALF]>([
  ["nothing cached", vendorUsage, counts],
  [
    "litellm#9812: a written cache without a split counts once, as written for five minutes",
    { ...vendorUsage, cache_creation_input_tokens: 12_304 },
    { ...counts, cacheWriteTokens: 12_304 },
  ],
  [
    "litellm#11789: a written cache with a split counts as the two parts of the split",
    {
      ...vendorUsage,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
    },
    { ...counts, cacheWriteTokens: 60, cacheWrite1hTokens: 40 },
  ],
  [
    "a split without its total",
    { ...vendorUsage, cache_creation: { ephemeral_1h_input_tokens: 40 } },
    { ...counts, cacheWrite1hTokens: 40 },
  ],
  ["a read cache", { ...vendorUsage, cache_read_input_tokens: 7 }, { ...counts, cacheReadTokens: 7 }],
  ["nulls", { ...vendorUsage, cache_read_input_tokens: null, cache_creation: null }, counts],
  [
    "thinking, a part of the output",
    { ...vendorUsage, output_tokens_details: { thinking_tokens: 20 } },
    { ...counts, reasoningTokens: 20 },
  ],
  [
    "a service tier other than the usual one",
    { ...vendorUsage, service_tier: "priority" },
    { ...counts, tier: "priority" },
  ],
  ["the usual service tier", { ...vendorUsage, service_tier: "standard" }, counts],
  [
    "a compaction in addition to the counts at the top",
    {
      ...vendorUsage,
      iterations: [
        { type: "compaction", input_tokens: 60_385, output_tokens: 522 },
        { type: "message", ...vendorUsage },
      ],
    },
    // The longest prompt decides the step of a price.
    { ...counts, inputTokens: 60_388, outputTokens: 1_072, prompt: 60_385 },
  ],
  [
    "an iteration without a type, which the counts at the top include",
    { ...vendorUsage, iterations: [vendorUsage] },
    counts,
  ],
  // DashScope counts as in the chat dialect: the input includes cached tokens.
  [
    "a read cache that is included in the input, as its details show",
    {
      ...{ input_tokens: 10, cache_read_input_tokens: 7, output_tokens: 550 },
      prompt_tokens_details: { cached_tokens: 7 },
    },
    { ...counts, cacheReadTokens: 7 },
  ],
  [
    "a written cache that is included in the input, as the total shows",
    { input_tokens: 10, cache_creation_input_tokens: 7, output_tokens: 550, total_tokens: 560 },
    { ...counts, cacheWriteTokens: 7 },
  ],
  [
    "a read cache that is not included in the input, as the total shows",
    { ...vendorUsage, cache_read_input_tokens: 7, total_tokens: 560 },
    { ...counts, cacheReadTokens: 7 },
  ],
  [
    "the chat dialect's names",
    { prompt_tokens: 10, completion_tokens: 550, prompt_tokens_details: { cached_tokens: 7 } },
    { ...counts, cacheReadTokens: 7 },
  ],
  ["a detail that is no count", { ...vendorUsage, cache_read_input_tokens: "many" }, counts],
  ["no prompt", { output_tokens: 550 }, { ...counts, inputTokens: 40 }, HALF],
  [
    "no prompt but its cache",
    { output_tokens: 550, cache_read_input_tokens: 30 },
    { ...counts, inputTokens: 10, cacheReadTokens: 30 },
    HALF,
  ],
  ["no answer", { input_tokens: 3 }, { ...counts, outputTokens: 7 }, HALF],
  [
    "an answer that is no count",
    { input_tokens: 3, output_tokens: "many" },
    { ...counts, outputTokens: 7 },
    HALF,
  ],
])("%s", (_what, usage, ...[counted, half = { isWhole: true }]) => {
  expect(read(usage)).toEqual({ usage: counted, ...half });
});

test.each([[undefined], [null], ["7"], [{}], [{ input_tokens: -1 }], [{ input_tokens: 1.5 }]])(
  "%j counts nothing",
  (usage) => {
    expect(read(usage)).toBeNull();
  },
);

test("thinking that the vendor does not count separately is estimated, and never more than the output", () => {
  const thought = readMessagesUsage({ input_tokens: 3 }, estimate)?.usage;
  expect([thought?.outputTokens, thought?.reasoningTokens]).toEqual([9, 2]);
  const reasoningTokens = (reasoning: number) =>
    readMessagesUsage(vendorUsage, { ...estimate, reasoning })?.usage.reasoningTokens;
  expect(reasoningTokens(13)).toBe(13);
  expect(reasoningTokens(900)).toBe(550);
});

test("usage as the client gets it has both cache fields", () => {
  expect(writeMessagesUsage({ ...counts, cacheWriteTokens: 60, cacheWrite1hTokens: 40 })).toEqual({
    input_tokens: 3,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 0,
    output_tokens: 550,
  });
});

test("counts that no call can have, single or summed, are ignored, and the gateway estimates them", () => {
  const huge = { type: "compaction", input_tokens: 1, output_tokens: 900_000_000 };
  expect(read({ ...vendorUsage, iterations: [huge] })?.usage.outputTokens).toBe(900_000_550);
  expect(read({ ...vendorUsage, iterations: [huge, huge] })).toBeNull();
  expect(read({ input_tokens: 3, output_tokens: 1e10 })?.usage.outputTokens).toBe(estimate.output);
  expect(read({ input_tokens: 3, output_tokens: "10000000000" })?.usage.outputTokens).toBe(estimate.output);
});

test.each([
  [
    "in the delta",
    { type: "message_delta", delta: { stop_reason: "end_turn", usage: { output_tokens: 5 } } },
  ],
  ["in the last event", { type: "message_stop", usage: { output_tokens: 5 } }],
])("usage %s counts", (_, event) => {
  const reader = new MessagesReader({ model: "m", inputTokens: 7, fallbackId: "f", now: new Date(0) });
  const start = { type: "message_start", message: { id: "m" }, usage: { input_tokens: 3 } };
  const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } };
  for (const each of [start, delta, event]) {
    reader.read(JSON.stringify(each));
  }
  expect(reader.settled(true)).toMatchObject({
    source: "upstream",
    usage: { inputTokens: 3, outputTokens: 5 },
  });
});

const split = { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100 } };
const written = { input_tokens: 10, cache_creation_input_tokens: 100, ...split };
/** Input, cache reads, cache writes for five minutes and for an hour, output. */
test.each<[what: string, start: object, end: object, charged: number[]]>([
  ["Portkey#497: the end has only the output", written, { output_tokens: 5 }, [10, 0, 0, 100, 5]],
  [
    "the end has the total of the written cache",
    written,
    { ...written, cache_creation: undefined, output_tokens: 5 },
    [10, 0, 0, 100, 5],
  ],
  [
    "more was written by the end",
    written,
    { input_tokens: 10, cache_creation_input_tokens: 150, output_tokens: 5 },
    [10, 0, 50, 100, 5],
  ],
  [
    "the written cache is read",
    written,
    { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 100, output_tokens: 5 },
    [10, 100, 0, 0, 5],
  ],
  [
    "the end has the chat dialect's total",
    { ...written, cache_read_input_tokens: 50 },
    { prompt_tokens: 160, completion_tokens: 5 },
    [10, 50, 0, 100, 5],
  ],
  [
    "only the end counts, by chat's names",
    { input_tokens: 1, output_tokens: 1 },
    { prompt_tokens: 3_000, completion_tokens: 700 },
    [3_000, 0, 0, 0, 700],
  ],
  [
    "the end has zeros in place of counts",
    written,
    { input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 5 },
    [10, 0, 0, 100, 5],
  ],
  [
    "the start's input includes the cache",
    { input_tokens: 3_602 },
    { cache_read_input_tokens: 3_604, prompt_tokens_details: { cached_tokens: 3_604 }, output_tokens: 5 },
    [0, 3_604, 0, 0, 5],
  ],
  [
    "the end's input includes the cache that is read",
    { input_tokens: 100, cache_read_input_tokens: 2_900 },
    { input_tokens: 3_000, cache_read_input_tokens: 2_900, output_tokens: 5 },
    [100, 2_900, 0, 0, 5],
  ],
  [
    "the end's input includes the cache that is written",
    { input_tokens: 100, cache_creation_input_tokens: 2_900 },
    { input_tokens: 3_000, cache_creation_input_tokens: 2_900, output_tokens: 5 },
    [100, 0, 2_900, 0, 5],
  ],
  [
    "the end's input includes the cache, and what was written is read",
    { input_tokens: 14, cache_creation_input_tokens: 35_203 },
    { input_tokens: 35_217, cache_read_input_tokens: 35_203, output_tokens: 5 },
    [14, 35_203, 0, 0, 5],
  ],
  [
    "the end names the cache of a prompt that the start has counted whole",
    { input_tokens: 3_000, cache_read_input_tokens: 0 },
    { input_tokens: 3_000, cache_read_input_tokens: 2_900, output_tokens: 5 },
    [100, 2_900, 0, 0, 5],
  ],
  [
    "the prompt grows beside its cache, such as by a search",
    { input_tokens: 100, cache_read_input_tokens: 2_900 },
    { input_tokens: 3_200, cache_read_input_tokens: 2_900, output_tokens: 5 },
    [3_200, 2_900, 0, 0, 5],
  ],
])("the counts of a stream are merged: %s", (_, ...[start, end, charged]) => {
  const reader = new MessagesReader({ model: "m", inputTokens: 7, fallbackId: "f", now: new Date(0) });
  const events = [
    { type: "message_start", message: { id: "m", content: [], usage: start } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: end },
  ];
  for (const event of events) {
    expect(reader.read(JSON.stringify(event)).kind).toBe("events");
  }
  const { usage, source } = reader.settled(true);
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens } = usage;
  expect([inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, outputTokens]).toEqual(charged);
  expect(source).toBe("upstream");
});
