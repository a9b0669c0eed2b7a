import { expect, test } from "vitest";
import { namedEventsOf } from "@/tests/support/sse-events";
import { joinStream } from "../answers/client-answer";
import { MessagesReader } from "./reader";
import { messagesWriter } from "./writer";

const stream = () =>
  joinStream(
    new MessagesReader({ model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) }),
    messagesWriter,
  );
type Stream = ReturnType<typeof stream>;

const start = {
  type: "message_start",
  message: { id: "msg_1", model: "vendor", usage: { input_tokens: 25, output_tokens: 1 } },
};
const text = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello there you" } },
  { type: "content_block_stop", index: 0 },
];
const delta = { stop_reason: "end_turn", stop_sequence: null };
const finish = { type: "message_delta", delta, usage: { output_tokens: 15 } };

function feed(answer: Stream, events: object[]): Record<string, unknown>[] {
  return events.flatMap((event) => {
    const step = answer.push(JSON.stringify(event));
    expect(step.kind).toBe("frames");
    return step.kind === "frames" ? namedEventsOf(step.text) : [];
  });
}

test("events pass unchanged, except for the model and the usage fields that SDKs need", () => {
  const answer = stream();
  const [first, ...rest] = feed(answer, [start, { type: "ping" }, ...text, finish]);
  const uncached = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "public", content: [] };
  const usage = { input_tokens: 25, output_tokens: 1, ...uncached };
  expect(first).toMatchObject({ message: { ...head, stop_reason: null, usage } });
  expect(rest).toEqual([{ type: "ping" }, ...text, finish]);
  expect(answer.push('{"type":"message_stop"}')).toEqual({ kind: "done" });
  expect(namedEventsOf(answer.ending())).toEqual([{ type: "message_stop" }]);
});

test("with iterations the later totals are complete, and a compaction's written cache is counted once", () => {
  const compaction = {
    ...{ input_tokens: 100, cache_creation_input_tokens: 55_096, output_tokens: 71 },
    cache_creation: { ephemeral_5m_input_tokens: 55_096, ephemeral_1h_input_tokens: 0 },
  };
  const rest = { input_tokens: 172, cache_creation_input_tokens: 0, output_tokens: 5 };
  const iterations = [
    { type: "compaction", ...compaction },
    { type: "message", ...rest },
  ];
  const answer = stream();
  feed(answer, [
    { ...start, message: { ...start.message, usage: { ...compaction, output_tokens: 5 } } },
    { ...finish, usage: { ...rest, iterations } },
  ]);
  const usage = { inputTokens: 272, cacheWriteTokens: 55_096, outputTokens: 76 };
  expect(answer.settled(true)).toMatchObject({ source: "upstream", usage });
});

test("an output count that is no number does not invalidate the other counts", () => {
  const answer = stream();
  const [, ...rest] = feed(answer, [start, ...text, { ...finish, usage: { output_tokens: "many" } }]);
  expect(rest.at(-1)).toMatchObject({ usage: { output_tokens: 4 } });
  const usage = { inputTokens: 25, outputTokens: 4 };
  expect(answer.settled(true)).toMatchObject({ source: "partial", usage });
});

test("the gateway estimates a prompt that the vendor never counted", () => {
  const answer = stream();
  const [first] = feed(answer, [{ ...start, message: { id: "msg_1" } }, ...text, finish]);
  expect(first).toMatchObject({ message: { usage: { input_tokens: 9, output_tokens: 0 } } });
  const usage = { inputTokens: 9, outputTokens: 15 };
  expect(answer.settled(true)).toMatchObject({ source: "partial", usage });
});

test("litellm#32357: pings are passed on, a second start becomes one, and neither counts as work", () => {
  const answer = stream();
  feed(answer, [start]);
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
  for (const event of [{ type: "ping" }, start]) {
    expect(answer.push(JSON.stringify(event))).toMatchObject({ kind: "frames", isWork: false, text: ping });
  }
  expect(answer.push(JSON.stringify(text[0]))).toMatchObject({ kind: "frames", isWork: true });
});

test("new-api#5289, bitrouter#537: a stream that breaks off costs its counted prompt and its output so far", () => {
  const answer = stream();
  feed(answer, [start, ...text]);
  const { source, usage } = answer.settled(false);
  expect(source).toBe("partial");
  expect(usage.inputTokens).toBe(25);
  expect(usage.outputTokens).toBeGreaterThan(2);
});

test("a stream that breaks off after its last counts costs those counts", () => {
  const answer = stream();
  feed(answer, [start, ...text, finish]);
  expect(answer.settled(false)).toMatchObject({ source: "upstream", usage: { outputTokens: 15 } });
});

test("an upstream's stream that ends without its last events gets them from the gateway", () => {
  const answer = stream();
  feed(answer, [start, ...text.slice(0, 2)]);
  expect(namedEventsOf(answer.ending())).toEqual([
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta, usage: { output_tokens: expect.any(Number) } },
    { type: "message_stop" },
  ]);
});

test("an error event is an error at any place in the stream", () => {
  const answer = stream();
  feed(answer, [start]);
  const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const words = { message: "Overloaded", status: 529 };
  expect(answer.push(JSON.stringify(error))).toEqual({ kind: "error", words });
});

test.each([["<html>"], ["[{},{}]"], ['{"choices":[]}'], [JSON.stringify(finish)], ["[DONE]"]])(
  "%s does not begin an answer",
  (data) => {
    expect(stream().push(data)).toEqual({ kind: "malformed" });
  },
);

const call = {
  type: "content_block_start",
  index: 0,
  content_block: { type: "tool_use", id: "t", name: "f" },
};
const input = (partial_json: unknown) => ({
  ...{ type: "content_block_delta", index: 0 },
  delta: { type: "input_json_delta", partial_json },
});

test("a stream without its start begins with one", () => {
  const kinds = feed(stream(), [...text, finish]).map(({ type }) => type);
  expect(kinds.slice(0, 2)).toEqual(["message_start", "content_block_start"]);
});

test("a delta without a type has the type of its member", () => {
  const [, , read] = feed(stream(), [start, text[0] as object, { ...text[1], delta: { text: "a" } }]);
  expect(read?.delta).toEqual({ type: "text_delta", text: "a" });
});

test.each([
  ["repeats it at the end", ['{"q":', "1}", '{"q":1}']],
  ["sends it as an object", [{ q: 1 }]],
])("a client adds up the input of a vendor that %s", (_name, sent) => {
  const events = feed(stream(), [start, call, ...sent.map(input)]).slice(2);
  expect(events.map(({ delta }) => (delta as { partial_json: string }).partial_json).join("")).toBe(
    '{"q":1}',
  );
});

test.each([
  ["END_TURN", text, "end_turn"],
  ["sensitive", text, "refusal"],
  ["pause_turn", text, "pause_turn"],
  ["a_new_word", text, "a_new_word"],
  ["end_turn", [call], "tool_use"],
  ["max_tokens", [call], "max_tokens"],
])("the end %s is in the dialect's words", (stop_reason, blocks, expected) => {
  const events = feed(stream(), [start, ...blocks, { ...finish, delta: { stop_reason } }]);
  expect(events.at(-1)?.delta).toMatchObject({ stop_reason: expected });
});

test("a call that has the number of an earlier block gets its own", () => {
  const events = feed(stream(), [
    start,
    ...text,
    call,
    input("{}"),
    { type: "content_block_stop", index: 0 },
  ]);
  expect(events.slice(4).map(({ index }) => index)).toEqual([1, 1, 1]);
});
