import { describe, expect, test } from "vitest";
import { chatGrammarFaults } from "./chat-grammar";
import { grammarFaults } from "./messages-grammar";

type Event = { type: string; [member: string]: unknown };

const messagesText = (events: Event[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

const usage = {
  input_tokens: 1,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
const empty = { content: [], stop_reason: null, stop_sequence: null, usage };
const start: Event = {
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", ...empty },
};
const block = (index: number, content_block: object): Event => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, change: object): Event => ({
  type: "content_block_delta",
  index,
  delta: change,
});
const stop = (index: number): Event => ({ type: "content_block_stop", index });
const text = (index: number) => block(index, { type: "text", text: "" });
const thinking = (index: number) => block(index, { type: "thinking", thinking: "", signature: "" });
const said = { type: "text_delta", text: "hi" };
const end: Event = {
  type: "message_delta",
  delta: { stop_reason: "end_turn", stop_sequence: null },
  usage: { output_tokens: 1 },
};
const over: Event = { type: "message_stop" };

describe("a fault in a messages stream is seen", () => {
  const good = [start, { type: "ping" }, text(0), delta(0, said), stop(0), end, over];

  test("and a stream without one has none", () => {
    expect(grammarFaults(messagesText(good))).toEqual([]);
    const signed = delta(0, { type: "signature_delta", signature: "s" });
    const broken: Event = { type: "error", error: { type: "api_error", message: "no" } };
    expect(grammarFaults(messagesText([start, thinking(0), signed, stop(0), text(1), broken]))).toEqual([]);
  });

  test.each<[string, Event[]]>([
    ["a second message_start", [start, start, end, over]],
    ["two blocks are open", [start, text(0), text(1), stop(1), end, over]],
    ["a block out of order", [start, text(1), stop(1), end, over]],
    ["a block out of order", [start, text(0), stop(0), text(0), stop(0), end, over]],
    ["text_delta in thinking", [start, thinking(0), delta(0, said), end, over]],
    ["thinking without a signature", [start, thinking(0), stop(0), end, over]],
    ["a delta of a block that is not open", [start, text(0), stop(0), delta(0, said), end, over]],
    ["a stop of a block that is not open", [start, stop(0), end, over]],
    ["tool_use without its parts", [start, block(0, { type: "tool_use", id: "a:0", name: "b", input: {} })]],
    ["message_delta before the blocks are closed", [start, text(0), end, over]],
    ["message_delta without stop_reason or output_tokens", [start, { ...end, usage: {} }, over]],
    ["message_stop before message_delta", [start, over]],
    ["something after the end", [...good, over]],
    ["unknown event news", [start, { type: "news" }, end, over]],
    ["no end", [start, end]],
  ])("%s", (fault, events) => {
    expect(grammarFaults(messagesText(events))).toContain(fault);
  });

  test("a missing event line", () => {
    const bare = messagesText(good).replaceAll(/^event: .*\n/gm, "");
    expect(grammarFaults(bare)).toContain("event: null over message_start");
  });
});

describe("a fault in a chat stream is seen", () => {
  type Chunk = Record<string, unknown>;
  const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  const chunk = (change: object, finish: string | null = null): Chunk => ({
    ...head,
    choices: [{ index: 0, delta: change, finish_reason: finish }],
  });
  const chatText = (chunks: Chunk[], last = "data: [DONE]\n\n") =>
    chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("") + last;
  const hello = chunk({ role: "assistant", content: "hi" });
  const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } };
  const bye = chunk({}, "stop");

  test("and a stream without one has none", () => {
    const fragment = chunk({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] });
    const counts = { ...head, choices: [], usage: { total_tokens: 1 } };
    const chunks = [hello, chunk({ tool_calls: [call] }), fragment, bye];
    expect(chatGrammarFaults(chatText(chunks), false)).toEqual([]);
    const counted = [...chunks.map((each) => ({ ...each, usage: null })), counts];
    expect(chatGrammarFaults(chatText(counted), true)).toEqual([]);
  });

  test.each<[string, string]>([
    ["no end, or something after it", chatText([hello, bye], "")],
    ["a choice without an end", chatText([hello])],
    ["a choice without a role", chatText([chunk({ content: "hi" }), bye])],
    ["a choice goes on after its end", chatText([hello, bye, chunk({ content: "hi" })])],
    ["another id", chatText([hello, { ...bye, id: "d" }])],
    ["usage that nobody asked for", chatText([hello, { ...bye, usage: {} }])],
    ["a fragment of no tool call", chatText([hello, chunk({ tool_calls: [{ ...call, index: 1 }] }), bye])],
    ["signature in a delta", chatText([hello, chunk({ signature: "s" }), bye])],
  ])("%s", (fault, stream) => {
    expect(chatGrammarFaults(stream, false)).toContain(fault);
  });
});
