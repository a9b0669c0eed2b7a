import fc from "fast-check";
import { expect, test } from "vitest";
import type { Counted } from "../exchange";
import type { Fields } from "../fields";
import { SYNTHETIC_SIGNATURE } from "../synthetic-thinking";
import { mapToolNames } from "../tool-names";
import { toChatCompletion } from "./answer";
import { MessagesAsChatWriter } from "./writer";

const counted: Counted = {
  usage: {
    inputTokens: 5,
    cacheReadTokens: 2,
    cacheWriteTokens: 3,
    cacheWrite1hTokens: 4,
    outputTokens: 6,
    reasoningTokens: 1,
  },
  source: "upstream",
};
const context = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) };

const callOf = (more: object = {}) => ({
  context,
  request: {
    body: {},
    names: mapToolNames(["f", "g"], 128),
    schemaTool: null,
    usesLegacyFunctions: false,
    ...more,
  },
});

const start = { type: "message_start", message: { id: "msg_01", content: [] } };
const begin = (index: number, content_block: Fields) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, of: Fields) => ({ type: "content_block_delta", index, delta: of });
const json = (index: number, partial_json: string) =>
  delta(index, { type: "input_json_delta", partial_json });
const stop = (index: number) => ({ type: "content_block_stop", index });
const finish = (stop_reason: string | null) => ({ type: "message_delta", delta: { stop_reason } });
const use = (id: string, name = "f", input: Fields = {}) => ({ type: "tool_use", id, name, input });

function parse(frames: string): Fields[] {
  const data = frames.split("\n\n").filter((frame) => frame.startsWith("data: {"));
  return data.map((frame) => JSON.parse(frame.slice("data: ".length)) as Fields);
}

function stream(events: Fields[], { wantsUsage = false, ...more }: { wantsUsage?: boolean } & Fields = {}) {
  const writer = new MessagesAsChatWriter({ ...callOf(more), wantsUsage });
  const text = events.map((event) => writer.write(event)).join("") + writer.end(counted);
  return { text, chunks: parse(text) };
}

type Choice = { delta: Fields; finish_reason: string | null };
const choices = (chunks: Fields[]) => chunks.flatMap((chunk) => chunk.choices as Choice[]);
const deltas = (events: Fields[], more: Fields = {}) =>
  choices(stream([start, ...events], more).chunks)
    .slice(1, -1)
    .map((choice) => choice.delta);
const ended = (events: Fields[], more: Fields = {}) =>
  choices(stream([start, ...events], more).chunks).at(-1)?.finish_reason;

test("a stream begins with the role, ends with the reason and [DONE], under one head", () => {
  const { text, chunks } = stream([
    start,
    { type: "ping" },
    begin(0, { type: "text", text: "" }),
    delta(0, { type: "text_delta", text: "hi" }),
    stop(0),
    finish("end_turn"),
  ]);
  const head = { id: "chatcmpl-01", object: "chat.completion.chunk", created: 5, model: "public" };
  const chunk = (of: Fields, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta: of, logprobs: null, finish_reason }],
  });
  expect(chunks).toEqual([
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "hi" }),
    chunk({}, "stop"),
  ]);
  expect(text).toContain("\n\n: ping\n\n");
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("headroom#2026: usage comes only when asked for, in one last chunk", () => {
  const events = [start, finish("end_turn")];
  expect(stream(events).text).not.toContain("usage");
  const { chunks } = stream(events, { wantsUsage: true });
  expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual([null, null]);
  expect(chunks.at(-1)).toMatchObject({ choices: [], id: "chatcmpl-01" });
});

test("Portkey#497, CLIProxyAPI#5617: the usage chunk counts the prompt, cached tokens among it", () => {
  expect(stream([start, finish("end_turn")], { wantsUsage: true }).chunks.at(-1)?.usage).toEqual({
    prompt_tokens: 14,
    completion_tokens: 6,
    total_tokens: 20,
    prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 7 },
    completion_tokens_details: { reasoning_tokens: 1 },
  });
});

test("new-api#5229: the first call after a text is call 0", () => {
  const events = [
    begin(0, { type: "text", text: "on it" }),
    stop(0),
    begin(1, use("a")),
    json(1, "{}"),
    stop(1),
  ];
  expect(deltas(events)).toEqual([
    { content: "on it" },
    { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }] },
    { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
  ]);
});

test("new-api#5095, Portkey#1275: several calls keep their own place, id, name and arguments", () => {
  const said = deltas([
    begin(0, use("a", "f")),
    json(0, ""),
    json(0, '{"x"'),
    json(0, ":1}"),
    stop(0),
    begin(1, use("b", "g")),
    json(1, '{"y":2}'),
    stop(1),
  ]);
  expect(said.flatMap((each) => each.tool_calls)).toEqual([
    { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } },
    { index: 0, function: { arguments: '{"x"' } },
    { index: 0, function: { arguments: ":1}" } },
    { index: 1, id: "b", type: "function", function: { name: "g", arguments: "" } },
    { index: 1, function: { arguments: '{"y":2}' } },
  ]);
});

test.each([
  ["all its arguments at once", { x: 1 }, '{"x":1}'],
  ["none at all", {}, "{}"],
])("a call that begins with %s has them as text, though its end never comes", (_name, input, text) => {
  for (const end of [[stop(0)], []]) {
    expect(deltas([begin(0, use("a", "f", input)), ...end]).at(-1)).toEqual({
      tool_calls: [{ index: 0, function: { arguments: text } }],
    });
  }
});

test("what a vendor's own tools do is not the client's to see", () => {
  const server = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const results = { type: "web_search_tool_result", tool_use_id: "s", content: [] };
  const events = [
    begin(0, server),
    json(0, '{"query":1}'),
    stop(0),
    begin(1, results),
    stop(1),
    finish("tool_use"),
  ];
  expect(deltas(events)).toEqual([]);
  expect(ended(events)).toBe("stop");
});

test("litellm#19028: a stream cut off in a call's arguments ends with length", () => {
  expect(ended([begin(0, use("a")), json(0, '{"x'), finish("max_tokens")])).toBe("length");
});

test.each([
  ["refusal", "content_filter"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  [null, "tool_calls"],
])("stop reason %s is %s", (reason, expected) => {
  expect(ended([begin(0, use("a")), stop(0), finish(reason)])).toBe(expected);
});

test("thinking is shown as it comes, and once signed, whole to hand back", () => {
  const signature = (text: string) => delta(0, { type: "signature_delta", signature: text });
  const thinking = [
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "a" }),
    delta(0, { type: "thinking_delta", thinking: "b" }),
  ];
  const redacted = [begin(1, { type: "redacted_thinking", data: "xx" }), stop(1)];
  expect(deltas([...thinking, signature("si"), signature("g"), stop(0), ...redacted])).toEqual([
    { reasoning_content: "a" },
    { reasoning_content: "b" },
    {
      thinking_blocks: [
        { index: 0, type: "thinking", thinking: "ab", signature: "sig" },
        { index: 1, type: "redacted_thinking", data: "xx" },
      ],
    },
  ]);
  for (const unsigned of [[], [signature(SYNTHETIC_SIGNATURE)]]) {
    expect(deltas([...thinking, ...unsigned, stop(0)])).toHaveLength(2);
  }
});

test("all signed thinking comes in one chunk, in order, right before the end: openai-node keeps the last chunk's alone", () => {
  const signed = (index: number, thinking: string) => [
    begin(index, { type: "thinking", thinking, signature: `of ${thinking}` }),
    stop(index),
  ];
  const events = [
    ...signed(0, "first"),
    begin(1, { type: "text", text: "on it" }),
    stop(1),
    ...signed(2, "second"),
    begin(3, use("a")),
    stop(3),
  ];
  const said = deltas(events);
  expect(said.filter((of) => of.thinking_blocks)).toEqual([
    {
      thinking_blocks: [
        { index: 0, type: "thinking", thinking: "first", signature: "of first" },
        { index: 1, type: "thinking", thinking: "second", signature: "of second" },
      ],
    },
  ]);
  expect(said.at(-1)).toHaveProperty("thinking_blocks");
});

test("a call without a name is a call, not the answer's text", () => {
  const nameless = { type: "tool_use", id: "a", name: null, input: {} };
  const [head] = deltas([begin(0, nameless), json(0, "{}"), stop(0)], { names: mapToolNames(["f"], 128) });
  expect(head).toMatchObject({ tool_calls: [{ function: { name: "f" } }] });
  const whole = toChatCompletion({ content: [nameless] }, counted, callOf());
  expect(JSON.parse(whole ?? "")).toMatchObject({
    choices: [{ message: { content: null, tool_calls: [{ id: "a" }] }, finish_reason: "tool_calls" }],
  });
});

test("litellm#12463: the tool that stands for the answer streams as text and ends with stop", () => {
  const events = [begin(0, use("a", "out")), json(0, '{"x"'), json(0, ":1}"), stop(0), finish("tool_use")];
  expect(deltas(events, { schemaTool: "out" })).toEqual([{ content: '{"x"' }, { content: ":1}" }]);
  expect(ended(events, { schemaTool: "out" })).toBe("stop");
});

test("a streamed schema answer is its JSON alone, and the model's words where it calls no tool", () => {
  const say = (index: number, text: string) => [
    begin(index, { type: "text", text: "" }),
    delta(index, { type: "text_delta", text }),
    stop(index),
  ];
  const answered = [
    begin(1, use("a", "out")),
    json(1, '{"x":1}'),
    stop(1),
    begin(2, use("b", "out")),
    json(2, "{}"),
  ];
  const events = [...say(0, "Here it is: "), ...answered, ...say(3, "Bye."), finish("tool_use")];
  expect(deltas(events, { schemaTool: "out" })).toEqual([{ content: '{"x":1}' }]);
  const words = [...say(0, '{"x"'), ...say(1, ":1}"), finish("end_turn")];
  expect(deltas(words, { schemaTool: "out" })).toEqual([{ content: '{"x":1}' }]);
});

test("a client of before tools sees one function call", () => {
  const more = { usesLegacyFunctions: true };
  const events = [
    begin(0, use("a", "f")),
    json(0, '{"x":1}'),
    stop(0),
    begin(1, use("b", "g")),
    stop(1),
    finish("tool_use"),
  ];
  expect(deltas(events, more)).toEqual([
    { function_call: { name: "f", arguments: "" } },
    { function_call: { arguments: '{"x":1}' } },
  ]);
  expect(ended(events, more)).toBe("function_call");
});

test("events of no known kind, and deltas of no known block, say nothing", () => {
  const events = [
    { type: "novelty" },
    json(7, "{}"),
    stop(7),
    delta(0, { type: "citations_delta" }),
    begin(0, {}),
  ];
  expect(deltas(events)).toEqual([]);
});

test("a stream that breaks off says so in words that every SDK finds, and has no [DONE]", () => {
  const writer = new MessagesAsChatWriter({ ...callOf(), wantsUsage: true });
  writer.write(start);
  const text = writer.fail({ code: 502, message: "上游断开", data: null });
  expect(parse(text)).toEqual([
    {
      error: { message: "上游断开", type: "upstream_error", code: 502, param: null },
      code: 502,
      message: "上游断开",
      data: null,
    },
  ]);
  expect(text).not.toContain("[DONE]");
});

/** Puts chunks together as the SDKs do. */
function accumulate(chunks: Fields[]): { message: Fields; finish_reason: unknown } {
  const message: Fields = { refusal: null };
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  const blocks: Fields[] = [];
  for (const { delta: of } of choices(chunks)) {
    message.role ??= of.role;
    for (const field of ["content", "reasoning_content"]) {
      if (typeof of[field] === "string") {
        message[field] = `${message[field] ?? ""}${of[field]}`;
      }
    }
    for (const { index, ...block } of (of.thinking_blocks ?? []) as { index: number }[]) {
      blocks[index] = block;
    }
    for (const { index, ...call } of (of.tool_calls ?? []) as ((typeof calls)[0] & { index: number })[]) {
      const known = calls[index];
      calls[index] = known
        ? {
            ...known,
            function: { ...known.function, arguments: known.function.arguments + call.function.arguments },
          }
        : call;
    }
  }
  if (message.content === "" && calls.length > 0) {
    message.content = null;
  }
  return {
    message: {
      ...message,
      ...(blocks.length > 0 && { thinking_blocks: blocks }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    finish_reason: choices(chunks).at(-1)?.finish_reason,
  };
}

/** A text in pieces, empty ones among them. */
const pieces = (text: string, cuts: number[]): string[] => {
  const places = [...cuts.map((cut) => Math.floor(cut * text.length)), text.length].sort((a, b) => a - b);
  return places.map((place, index) => text.slice(places[index - 1] ?? 0, place));
};

function streamed(block: Fields, index: number, cuts: number[]): Fields[] {
  const piecesOf = (text: unknown) => pieces(String(text), cuts);
  if (block.type === "text") {
    const texts = piecesOf(block.text).map((text) => delta(index, { type: "text_delta", text }));
    return [begin(index, { ...block, text: "" }), ...texts, stop(index)];
  }
  if (block.type === "thinking") {
    const texts = piecesOf(block.thinking).map((thinking) =>
      delta(index, { type: "thinking_delta", thinking }),
    );
    const signed = piecesOf(block.signature).map((signature) =>
      delta(index, { type: "signature_delta", signature }),
    );
    return [
      begin(index, { type: "thinking", thinking: "", signature: "" }),
      ...texts,
      ...signed,
      stop(index),
    ];
  }
  if (block.type === "tool_use") {
    const texts = piecesOf(JSON.stringify(block.input)).map((text) => json(index, text));
    return [begin(index, { ...block, input: {} }), ...texts, stop(index)];
  }
  return [begin(index, block), stop(index)];
}

const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/);
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.string({ unit: "binary" }) }),
  fc.record({ type: fc.constant("thinking"), thinking: fc.string(), signature: fc.string() }),
  fc.record({ type: fc.constant("redacted_thinking"), data: fc.string() }),
  fc.record({
    type: fc.constant("tool_use"),
    id,
    name: fc.constantFrom("f", "g", "out"),
    input: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
  fc.record({ type: fc.constant("server_tool_use"), id, name: id, input: fc.constant({}) }),
);
const message = fc.record({
  id: fc.constant("msg_01"),
  content: fc.array(block, { maxLength: 6 }),
  stop_reason: fc.constantFrom("end_turn", "tool_use", "max_tokens", "refusal", "stop_sequence"),
});

test("however a message is cut into events, its chunks come to what its JSON answer says", () => {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
  fc.assert(
    fc.property(message, cuts, fc.constantFrom(null, "out"), (whole, places, schemaTool) => {
      const events = whole.content.flatMap((each, index) => streamed(each, index, places));
      const { chunks } = stream([start, ...events, finish(whole.stop_reason)], { schemaTool });
      const answer = toChatCompletion(whole, counted, callOf({ schemaTool }));
      const [choice] = (JSON.parse(String(answer)) as { choices: Fields[] }).choices;
      expect(accumulate(chunks)).toEqual({ message: choice?.message, finish_reason: choice?.finish_reason });
    }),
    { numRuns: 500 },
  );
});
