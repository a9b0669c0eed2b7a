/** Messages answers for clients of the chat dialect: the whole answer by examples, the stream by the whole answer. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { anyText } from "@/tests/support/any-text";
import { dataOf } from "@/tests/support/dialect-pairs/model-answer";
import {
  accumulate,
  begin,
  type ChatTraits,
  complete,
  delta,
  deltas,
  finish,
  json,
  openWriter,
  start,
  stop,
  stream,
} from "@/tests/support/messages-as-chat";
import type { JsonObject } from "../../fields";
import { readMessagesAnswer } from "../../messages/answer";
import { SYNTHETIC_SIGNATURE } from "../../signed-thinking";
import { mapToolNames } from "../../tools/tool-names";

const text = (words: string) => ({ type: "text", text: words });
const thinking = (words: string, signature = "") => ({ type: "thinking", thinking: words, signature });
const use = (id: unknown, name: unknown = "f", input: unknown = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const call = (id: string, name = "f", args = "{}") => ({
  ...{ id, type: "function", function: { name, arguments: args } },
});
const redacted = { type: "redacted_thinking", data: "xx" };
const search = [
  { type: "server_tool_use", id: "s", name: "web_search", input: {} },
  { type: "web_search_tool_result", tool_use_id: "s", content: [] },
];
const answer = (content: JsonObject[], stop_reason: string | null = "end_turn") => ({
  ...{ id: "msg_01", type: "message", content, stop_reason },
});
const wrapped = `tgid_${Buffer.from("functions.f:0").toString("base64url")}`;
const legal = mapToolNames(["读取"], 128).toUpstream("读取");
const schema = { schemaTool: "out" };

test.each<[string, JsonObject[], JsonObject, ChatTraits?]>([
  ["texts are joined unchanged", [text("a"), text("b")], { content: "ab" }],
  [
    "higress#3506: every call is a tool call with its own id, name and arguments as text",
    [use("a", "f", { a: 1 }), use("b", "g")],
    { content: null, tool_calls: [call("a", "f", '{"a":1}'), call("b", "g")] },
  ],
  ["text before calls stays", [text("on it"), use("a")], { content: "on it", tool_calls: [call("a")] }],
  [
    "llmgateway#3389: identifiers are never empty, and wrapped ones become the client's own again",
    [use(undefined), use("", "g"), use(wrapped)],
    { content: null, tool_calls: [call("chatcmpl_1_0"), call("chatcmpl_1_1", "g"), call("functions.f:0")] },
  ],
  [
    "a name that was changed for the upstream becomes the client's again",
    [use("a", legal)],
    { content: null, tool_calls: [call("a", "读取")] },
  ],
  [
    "a call without a name gets the name of the only tool",
    [use("a", null)],
    { content: null, tool_calls: [call("a")] },
    { soleTool: true },
  ],
  ["calls of a vendor's own tools are hidden from the client", [...search, text("a")], { content: "a" }],
  [
    "an answer of thinking alone has an empty text",
    [thinking("hm")],
    { content: "", reasoning_content: "hm" },
  ],
  [
    "thinking is shown as text, and thinking that a vendor signed also as blocks to send back",
    [thinking("a", "sig"), redacted, thinking("b", SYNTHETIC_SIGNATURE), text("c")],
    { content: "c", reasoning_content: "ab", thinking_blocks: [thinking("a", "sig"), redacted] },
  ],
  [
    "a schema answer is its JSON alone, without the model's text around it",
    [text("Here: "), use("a", "out", { b: 1 }), use("c", "out", { b: 2 }), text("Bye.")],
    { content: '{"b":1}' },
    schema,
  ],
  [
    "a schema answer without a call of its tool is the text",
    [text('{"b":1}')],
    { content: '{"b":1}' },
    schema,
  ],
  [
    "litellm#12463: only a call of the schema's tool becomes text",
    [use("x")],
    { content: null, tool_calls: [call("x")] },
    schema,
  ],
  [
    "a client with legacy functions gets one function call",
    [use("a", "f", { b: 1 }), use("c", "g")],
    { content: null, function_call: { name: "f", arguments: '{"b":1}' } },
    { usesLegacyFunctions: true },
  ],
])("%s", (...[, content, message, client]) => {
  expect(complete(answer(content), client).choices[0].message).toEqual({
    ...{ role: "assistant", refusal: null, ...message },
  });
});

test("CLIProxyAPI#5617: an answer is a completion under the public name, with cached tokens counted once, as a part of the prompt", () => {
  expect(complete(answer([text("a")]))).toEqual({
    ...{ id: "chatcmpl-01", object: "chat.completion", created: 5, model: "public" },
    choices: [
      {
        ...{ index: 0, logprobs: null, finish_reason: "stop" },
        message: { role: "assistant", content: "a", refusal: null },
      },
    ],
    usage: {
      ...{ prompt_tokens: 14, completion_tokens: 6, total_tokens: 20 },
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 7 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  });
  expect(complete({ content: [text("a")] }).id).toBe("chatcmpl_1");
  const context = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) };
  expect(atOnce(readMessagesAnswer({ type: "error" }, context))).toBeNull();
});

test.each([
  ["end_turn", "stop", "tool_calls"],
  ["stop_sequence", "stop", "tool_calls"],
  ["pause_turn", "stop", "tool_calls"],
  ["compaction", "stop", "tool_calls"],
  ["tool_use", "stop", "tool_calls"],
  // litellm#19028: also an answer that was cut off in a call.
  ["max_tokens", "length", "length"],
  ["model_context_window_exceeded", "length", "length"],
  ["refusal", "content_filter", "content_filter"],
])("the stop reason %s becomes %s, and with a call of the client's tool %s", (reason, finished, called) => {
  const ended = (content: JsonObject[], client?: ChatTraits) =>
    complete(answer(content, reason), client).choices[0].finish_reason;
  expect([ended([...search, text("a")]), ended([use("a")])]).toEqual([finished, called]);
  expect(ended([use("a", "out")], schema)).toBe(finished);
  const legacy = called === "tool_calls" ? "function_call" : called;
  expect(ended([use("a")], { usesLegacyFunctions: true })).toBe(legacy);
});

/** Cuts a text into pieces, with empty ones among them. */
const pieces = (whole: string, cuts: number[]): string[] => {
  const places = [...cuts.map((cut) => Math.floor(cut * whole.length)), whole.length].sort((a, b) => a - b);
  return places.map((place, index) => whole.slice(places[index - 1] ?? 0, place));
};

/** A block's events. Without cuts it is whole from the start, and a call's end never comes. */
function streamed(block: JsonObject, index: number, cuts: number[] | null): JsonObject[] {
  const piecesOf = (type: string, member: string, whole: unknown) =>
    pieces(String(whole), cuts ?? []).map((piece) => delta(index, { type, [member]: piece }));
  if (cuts === null) {
    return [begin(index, block), ...(block.type === "tool_use" ? [] : [stop(index)])];
  }
  switch (block.type) {
    case "text": {
      const events = piecesOf("text_delta", "text", block.text);
      return [begin(index, { ...block, text: "" }), ...events, stop(index)];
    }
    case "thinking": {
      const thought = piecesOf("thinking_delta", "thinking", block.thinking);
      const sealed = piecesOf("signature_delta", "signature", block.signature);
      return [begin(index, thinking("")), ...thought, ...sealed, stop(index)];
    }
    case "tool_use": {
      const events = piecesOf("input_json_delta", "partial_json", JSON.stringify(block.input));
      return [begin(index, { ...block, input: {} }), ...events, stop(index)];
    }
    default:
      return [begin(index, block), stop(index)];
  }
}

const id = fc.oneof(fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/), fc.constantFrom("", wrapped));
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text: anyText() }),
  fc.record({
    type: fc.constant("thinking"),
    thinking: fc.string(),
    signature: fc.oneof(fc.string(), fc.constant(SYNTHETIC_SIGNATURE)),
  }),
  fc.record({ type: fc.constant("redacted_thinking"), data: fc.string() }),
  fc.record({
    type: fc.constant("tool_use"),
    id,
    name: fc.constantFrom("f", "g", "out", legal, null),
    input: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
  fc.record({ type: fc.constant("server_tool_use"), id, name: id, input: fc.constant({}) }),
);
const reasons = ["end_turn", "tool_use", "max_tokens", "refusal", "stop_sequence", null];
const anyMessage = fc.record({
  id: fc.constant("msg_01"),
  content: fc.array(block, { maxLength: 6 }),
  stop_reason: fc.constantFrom(...reasons),
});
const client = fc.record({
  schemaTool: fc.constantFrom(null, "out"),
  usesLegacyFunctions: fc.boolean(),
  soleTool: fc.boolean(),
});

test("new-api#5229, new-api#5095, Portkey#1275: the chunks of a message, however it is cut into events, add up to its JSON answer", () => {
  const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
  fc.assert(
    fc.property(anyMessage, fc.option(places), client, (whole, cuts, traits) => {
      const events = whole.content.flatMap((each, index) => streamed(each, index, cuts));
      const { chunks } = stream([start, ...events, finish(whole.stop_reason)], traits);
      const [{ message, finish_reason }] = complete(whole, traits).choices;
      expect(accumulate(chunks)).toEqual({ message, finish_reason });
    }),
    { numRuns: 500 },
  );
});

test("a stream begins with the role, ends with the reason, the usage if asked for, and [DONE], and its chunks have the same id, time and model", () => {
  const hi = [begin(0, text("")), delta(0, { type: "text_delta", text: "hi" }), stop(0)];
  const events = [start, ...hi, finish("end_turn")];
  const { text: body, chunks } = stream(events, { wantsUsage: true });
  const head = { id: "chatcmpl-01", object: "chat.completion.chunk", created: 5, model: "public" };
  const chunk = (fields: JsonObject, finish_reason: string | null = null) => ({
    ...{ ...head, usage: null, choices: [{ index: 0, delta: fields, logprobs: null, finish_reason }] },
  });
  expect(chunks).toEqual([
    ...[chunk({ role: "assistant", content: "" }), chunk({ content: "hi" }), chunk({}, "stop")],
    { ...head, choices: [], usage: complete(answer([])).usage },
  ]);
  expect(body.endsWith("data: [DONE]\n\n")).toBe(true);
  // headroom#2026
  expect(stream(events).text).not.toContain("usage");
});

test("thinking, a call's arguments and a schema's JSON are sent as they arrive", () => {
  const thought = ["a", "b"].map((each) => delta(0, { type: "thinking_delta", thinking: each }));
  expect(deltas([begin(0, thinking("")), ...thought, stop(0)])).toEqual([
    ...[{ reasoning_content: "a" }, { reasoning_content: "b" }],
  ]);
  const schemaEvents = (name: string) => [begin(0, use("a", name)), json(0, '{"x"'), json(0, ":1}"), stop(0)];
  expect(deltas(schemaEvents("out"), schema)).toEqual([{ content: '{"x"' }, { content: ":1}" }]);
  const grown = (args: string) => ({ tool_calls: [{ index: 0, function: { arguments: args } }] });
  expect(deltas(schemaEvents("f")).slice(1)).toEqual([grown('{"x"'), grown(":1}")]);
});

test("all signed thinking comes in one chunk, in order, right before the end, because openai-node keeps only the last such chunk", () => {
  const events = [thinking("first", "1"), text("on it"), redacted, thinking("second", "2"), use("a")].flatMap(
    (each, index) => [begin(index, each), stop(index)],
  );
  const chatDeltas = deltas(events);
  const blocks = [thinking("first", "1"), redacted, thinking("second", "2")];
  const numbered = { thinking_blocks: blocks.map((each, index) => ({ index, ...each })) };
  expect([chatDeltas.at(-1), chatDeltas.filter((each) => each.thinking_blocks)]).toEqual([
    numbered,
    [numbered],
  ]);
});

test("events of unknown types and deltas of unknown blocks add nothing", () => {
  const events = [
    { type: "novelty" },
    json(7, "{}"),
    stop(7),
    delta(0, { type: "citations_delta" }),
    begin(0, {}),
  ];
  expect(deltas(events)).toEqual([]);
});

test("a stream that breaks off ends with an error in a form that every SDK finds, and without [DONE]", () => {
  const writer = openWriter(true);
  writer.write(start);
  const failure = { code: 502, message: "上游断开", data: null } as const;
  const error = { message: "上游断开", type: "upstream_error", code: 502, param: null };
  const output = writer.fail(failure);
  expect(dataOf(output)).toEqual([{ error, ...failure }]);
  expect(output).not.toContain("[DONE]");
});
