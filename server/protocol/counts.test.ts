/** What upstreams count, and what it comes to: whole or streamed, in both dialects. */
import { describe, expect, test } from "vitest";
import type { ReasoningTokens } from "./capabilities";
import { readChatAnswer } from "./chat/answer";
import { ChatReader } from "./chat/reader";
import type { Counted, StreamReader } from "./exchange";
import type { Fields } from "./fields";
import { readMessagesAnswer } from "./messages/answer";
import { MessagesReader } from "./messages/reader";

const context = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) };
const TEXT = "four score and seven years ago";

const feed = (reader: StreamReader<Fields>, events: object[]): Counted => {
  for (const event of events) {
    expect(reader.read(JSON.stringify(event)).kind).toBe("events");
  }
  return reader.settled(true);
};

const said = (text: string) => ({ role: "assistant", content: text });
const chunk = (more: Fields) => ({ id: "c", choices: [], ...more });
const finished = { index: 0, delta: {}, finish_reason: "stop" };

function chatCounts(
  usage: unknown,
  { text = TEXT, placed }: { text?: string; placed?: ReasoningTokens } = {},
) {
  const whole = readChatAnswer(
    { id: "c", choices: [{ index: 0, message: said(text), finish_reason: "stop" }], usage },
    context,
    placed,
  );
  const streamed = feed(new ChatReader(context, placed), [
    chunk({ choices: [{ index: 0, delta: said(text) }] }),
    chunk({ choices: [finished] }),
    chunk({ usage }),
  ]);
  return { whole: { usage: whole?.usage, source: whole?.source }, streamed };
}

const blocks = (text: string) => [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
  { type: "content_block_stop", index: 0 },
];
const start = (usage: unknown) => ({ type: "message_start", message: { id: "m", model: "called", usage } });
const finish = (usage: unknown) => ({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage });

/** The start of a stream counts the first prompt, as the vendor does. */
function messagesCounts(
  usage: Fields,
  begun: Fields = { ...usage, output_tokens: 1, iterations: undefined },
) {
  const answer = { id: "m", model: "called", content: [{ type: "text", text: TEXT }], usage };
  const whole = readMessagesAnswer(answer, context);
  const streamed = feed(new MessagesReader(context), [start(begun), ...blocks(TEXT), finish(usage)]);
  return {
    whole: { usage: whole?.usage, source: whole?.source, hasOtherModel: whole?.hasOtherModel },
    streamed,
  };
}

const counted = { prompt_tokens: 20, completion_tokens: 50, total_tokens: 70 };
const reasoned = (tokens: number, more: Fields = {}) => ({
  ...counted,
  ...more,
  completion_tokens_details: { reasoning_tokens: tokens },
});

const chatFixtures: [string, Fields][] = [
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
const messagesFixtures: [string, Fields, Fields?][] = [
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
      expect(streamed.usage).toEqual(whole.usage);
      expect(streamed.source).toBe(whole.source);
    }
  });

  test.each(messagesFixtures)("messages: %s", (_name, usage, begun) => {
    const { whole, streamed } = messagesCounts(usage, begun);
    expect(streamed).toEqual(whole);
  });
});

describe("whether completion_tokens has the reasoning in it", () => {
  test.each([
    [
      "OpenRouter: it has, though its own count of it is greater",
      reasoned(65),
      { placed: undefined, counts: [50, 50] },
    ],
    [
      "xAI: the total tells that it has not",
      reasoned(65, { total_tokens: 135 }),
      { placed: undefined, counts: [115, 65] },
    ],
    [
      "Gemini: the total tells of thinking that is listed nowhere",
      { ...counted, total_tokens: 109 },
      { placed: undefined, counts: [89, 0] },
    ],
    [
      "without a total, what was said stands",
      { ...reasoned(65), total_tokens: undefined },
      { placed: undefined, counts: [50, 50] },
    ],
    ["Vercel's AI gateway: never", reasoned(30), { placed: "separate", counts: [80, 30] }],
    [
      "Vercel's AI gateway: also where there is more of it",
      reasoned(65),
      { placed: "separate", counts: [115, 65] },
    ],
    [
      "and is not added again when the total has it too",
      reasoned(30, { total_tokens: 100 }),
      { placed: "separate", counts: [80, 30] },
    ],
  ] as const)("%s", (_name, usage, { placed, counts: [outputTokens, reasoningTokens] }) => {
    const { streamed } = chatCounts(usage, { ...(placed && { placed }) });
    expect(streamed).toMatchObject({
      source: "upstream",
      usage: { inputTokens: 20, outputTokens, reasoningTokens },
    });
  });

  test("a client is told no more reasoning than completion", () => {
    const choices = [{ index: 0, message: said(TEXT), finish_reason: "stop" }];
    expect(readChatAnswer({ choices, usage: reasoned(65) }, context)?.answer.usage).toMatchObject({
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
  expect(chatCounts(usage).streamed.usage).toMatchObject({
    inputTokens: 20,
    cacheReadTokens: 1_000,
    outputTokens: 50,
  });
});

describe("usage of zero makes nothing free", () => {
  test("chat: a delivered answer is charged by estimate, whole and streamed", () => {
    const { whole, streamed } = chatCounts({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
    expect(whole).toMatchObject({ source: "estimated", usage: { inputTokens: 9 } });
    expect(whole.usage?.outputTokens).toBeGreaterThan(4);
    expect(streamed).toEqual(whole);
  });

  test("messages: a delivered answer is charged by estimate, whole and streamed", () => {
    const { whole, streamed } = messagesCounts({ input_tokens: 0, output_tokens: 0 }, {});
    expect(whole).toMatchObject({ source: "estimated", usage: { inputTokens: 9 } });
    expect(whole.usage?.outputTokens).toBeGreaterThan(4);
    expect(streamed).toEqual(whole);
  });

  test("a prompt of zero is none, and its half alone is estimated", () => {
    const usage = { prompt_tokens: 0, completion_tokens: 26, total_tokens: 26 };
    expect(chatCounts(usage).whole).toMatchObject({
      source: "partial",
      usage: { inputTokens: 9, outputTokens: 26 },
    });
    expect(messagesCounts({ input_tokens: 0, output_tokens: 26 }).whole).toMatchObject({
      source: "partial",
      usage: { inputTokens: 9, outputTokens: 26 },
    });
  });

  test("an answer of nothing may have an output of zero", () => {
    const { whole } = chatCounts({ ...counted, completion_tokens: 0, total_tokens: 20 }, { text: "" });
    expect(whole).toMatchObject({ source: "upstream", usage: { inputTokens: 20, outputTokens: 0 } });
  });

  test("chat: a late zero erases no count", () => {
    const settled = feed(new ChatReader(context), [
      chunk({ choices: [{ index: 0, delta: said(TEXT) }] }),
      chunk({ choices: [finished], usage: { ...counted, prompt_tokens_details: { cached_tokens: 8 } } }),
      chunk({ usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cached_tokens: 0 } }),
    ]);
    expect(settled).toMatchObject({
      source: "upstream",
      usage: { inputTokens: 12, cacheReadTokens: 8, outputTokens: 50 },
    });
  });

  test("messages: a late zero erases no count, and no client is told of it", () => {
    const reader = new MessagesReader(context);
    const events = [start({ input_tokens: 20, output_tokens: 1 }), ...blocks(TEXT)];
    feed(reader, [...events, finish({ output_tokens: 50 })]);
    const late = reader.read(JSON.stringify(finish({ input_tokens: 0, output_tokens: 0 })));
    expect(late).toMatchObject({ events: [{ usage: { input_tokens: 20, output_tokens: 50 } }] });
    expect(reader.settled(true)).toMatchObject({
      source: "upstream",
      usage: { inputTokens: 20, outputTokens: 50 },
    });
  });
});

describe("usage that comes before the content is not final", () => {
  const early = { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 };
  const long = TEXT.repeat(4);

  test.each([
    ["with the content still to come", chunk({ usage: early })],
    ["beside the role", chunk({ choices: [{ index: 0, delta: said("") }], usage: early })],
  ])("chat: %s", (_name, first) => {
    const events = [
      first,
      chunk({ choices: [{ index: 0, delta: said(long) }] }),
      chunk({ choices: [finished] }),
    ];
    const settled = feed(new ChatReader(context), events);
    expect(settled).toMatchObject({ source: "partial", usage: { inputTokens: 20 } });
    expect(settled.usage.outputTokens).toBeGreaterThan(20);
  });

  test("chat: nor is a late zero, or a late prompt, a count of the content", () => {
    for (const late of [{ prompt_tokens: 0, completion_tokens: 0 }, { prompt_tokens: 20 }]) {
      const events = [chunk({ usage: early }), chunk({ choices: [{ ...finished, delta: said(long) }] })];
      const settled = feed(new ChatReader(context), [...events, chunk({ usage: late })]);
      expect(settled).toMatchObject({ source: "partial", usage: { inputTokens: 20 } });
      expect(settled.usage.outputTokens).toBeGreaterThan(20);
    }
  });

  test("messages", () => {
    const events = [start({ input_tokens: 20 }), finish({ output_tokens: 1 }), ...blocks(long)];
    const settled = feed(new MessagesReader(context), events);
    expect(settled).toMatchObject({ source: "partial", usage: { inputTokens: 20 } });
    expect(settled.usage.outputTokens).toBeGreaterThan(20);
  });
});

test("Azure: the id of the stream is the vendor's, though the first chunk has none", () => {
  const reader = new ChatReader(context);
  const preface = { id: "", created: 0, model: "", object: "", choices: [], prompt_filter_results: [1] };
  expect(reader.read(JSON.stringify(preface))).toEqual({ kind: "events", events: [] });
  expect(reader.isStarted).toBe(false);
  const read = reader.read(JSON.stringify(chunk({ id: "chatcmpl-1", choices: [{ delta: said("a") }] })));
  expect(read).toMatchObject({
    events: [
      { id: "chatcmpl-1", model: "public", prompt_filter_results: [1] },
      { id: "chatcmpl-1", choices: [{ delta: { content: "a" } }] },
    ],
  });
});

test("Workers AI: an answer that is JSON is its text, and is counted", () => {
  const answer = { id: "c", choices: [{ index: 0, message: { content: { name: "Ada", born: [1815] } } }] };
  const read = readChatAnswer(answer, context);
  expect(read?.answer).toMatchObject({
    choices: [{ message: { content: '{"name":"Ada","born":[1815]}' } }],
  });
  expect(read?.usage.outputTokens).toBeGreaterThan(4);
});

test.each([
  ["JSON of another kind", [{ name: "Ada" }], '[{"name":"Ada"}]'],
  ["a number", 7, "7"],
  ["one part", { type: "text", text: "a" }, "a"],
  ["strings as parts", ["a", "b"], "ab"],
])("content that is %s is text", (_name, content, text) => {
  const read = readChatAnswer({ choices: [{ index: 0, message: { content } }] }, context);
  expect(read?.answer).toMatchObject({ choices: [{ message: { content: text } }] });
});

describe("a count is read wherever and however a vendor writes it, whole and streamed", () => {
  test("digits in quotes are a count", () => {
    const usage = { prompt_tokens: "20", completion_tokens: "50", total_tokens: "70" };
    const expected = { source: "upstream", usage: { inputTokens: 20, outputTokens: 50 } };
    expect(chatCounts(usage)).toMatchObject({ whole: expected, streamed: expected });
    expect(messagesCounts({ input_tokens: "20", output_tokens: "50" })).toMatchObject({
      whole: expected,
      streamed: expected,
    });
  });

  test.each(["-5", "5.5", "1e3", "0x10", "", " 5", "9".repeat(40)])("%j is none", (text) => {
    expect(chatCounts({ prompt_tokens: 20, completion_tokens: text })).toMatchObject({
      whole: { source: "partial" },
      streamed: { source: "partial" },
    });
  });

  test.each([
    ["in a choice", { usage: counted }, {}],
    ["in Groq's corner", {}, { x_groq: { usage: counted } }],
  ])("usage %s counts", (_name, inChoice, onTop) => {
    const expected = { source: "upstream", usage: { inputTokens: 20, outputTokens: 50 } };
    const message = { message: said(TEXT), finish_reason: "stop" };
    const whole = readChatAnswer({ id: "c", choices: [{ ...message, ...inChoice }], ...onTop }, context);
    expect(whole).toMatchObject({ ...expected, answer: { usage: counted } });
    const streamed = feed(new ChatReader(context), [
      chunk({ choices: [{ index: 0, delta: said(TEXT) }] }),
      chunk({ choices: [{ ...finished, ...inChoice }], ...onTop }),
    ]);
    expect(streamed).toMatchObject(expected);
  });
});

describe("spaces around an event's data end no stream", () => {
  test.each([
    ["chat", () => new ChatReader(context), chunk({ choices: [{ index: 0, delta: said("a") }] })],
    ["messages", () => new MessagesReader(context), start({ input_tokens: 1 })],
  ] as const)("%s: nothing is a sign of life, and the end is the end", (_name, open, first) => {
    const reader = open();
    expect(reader.read(" ")).toEqual({ kind: "ping" });
    expect(reader.read(JSON.stringify(first)).kind).toBe("events");
    expect(reader.read("")).toEqual({ kind: "ping" });
    expect(reader.read(" [DONE] ")).toEqual({ kind: "done" });
  });
});
