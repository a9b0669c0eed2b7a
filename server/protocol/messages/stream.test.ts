import { expect, test } from "vitest";
import { namedEventsOf } from "@/tests/support/sse-events";
import { joinStream } from "../client-answer";
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

test("events pass as they are but for the model, and the usage fields that SDKs count on", () => {
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

const compaction = {
  ...{ input_tokens: 100, cache_creation_input_tokens: 55_096 },
  cache_creation: { ephemeral_5m_input_tokens: 55_096, ephemeral_1h_input_tokens: 0 },
};
const rest = { input_tokens: 172, cache_creation_input_tokens: 0, output_tokens: 5 };
const iterations = [
  { type: "compaction", ...compaction, output_tokens: 71 },
  { type: "message", ...rest },
];
const written = { input_tokens: 3, cache_creation_input_tokens: 9_000, output_tokens: 1 };
const hour = (ephemeral_1h_input_tokens: number) => ({ cache_creation: { ephemeral_1h_input_tokens } });

test.each<[string, object, object, object]>([
  [
    "Portkey#497: the prompt's count comes from the start, the output's from the end",
    start.message.usage,
    { output_tokens: 15 },
    { inputTokens: 25, outputTokens: 15 },
  ],
  [
    "a later event's null does not undo what an earlier one said",
    start.message.usage,
    { input_tokens: null, output_tokens: 15 },
    { inputTokens: 25, outputTokens: 15 },
  ],
  [
    "a later event's zeros do not undo the prompt that the start counted",
    { input_tokens: 500, cache_read_input_tokens: 300, ...hour(40), output_tokens: 1 },
    { input_tokens: 0, cache_read_input_tokens: 0, ...hour(0), output_tokens: 3 },
    { inputTokens: 500, cacheReadTokens: 300, cacheWrite1hTokens: 40, outputTokens: 3 },
  ],
  [
    "a later event that counts the same prompt as read from a cache is believed",
    start.message.usage,
    { input_tokens: 0, cache_read_input_tokens: 25, output_tokens: 3 },
    { inputTokens: 0, cacheReadTokens: 25 },
  ],
  [
    "with iterations the later totals are complete: a compaction's cache is written once",
    { ...compaction, output_tokens: 5 },
    { ...rest, iterations },
    { inputTokens: 272, cacheWriteTokens: 55_096, outputTokens: 76 },
  ],
  [
    "with iterations but no prompt, what the start counted of it stands",
    written,
    { output_tokens: 50, iterations: [] },
    { inputTokens: 3, cacheWriteTokens: 9_000, outputTokens: 50 },
  ],
  [
    "with iterations but a prompt of zeros that nobody filled in, what the start counted of it stands",
    written,
    { input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 50, iterations: [] },
    { inputTokens: 3, cacheWriteTokens: 9_000, outputTokens: 50 },
  ],
])("%s", (...[, begun, ended, usage]) => {
  const answer = stream();
  feed(answer, [
    { ...start, message: { ...start.message, usage: begun } },
    { ...finish, usage: ended },
  ]);
  expect(answer.settled(true)).toMatchObject({ source: "upstream", usage });
});

test("an output count that is none costs no other count", () => {
  const answer = stream();
  const [, ...rest] = feed(answer, [start, ...text, { ...finish, usage: { output_tokens: "many" } }]);
  expect(rest.at(-1)).toMatchObject({ usage: { output_tokens: 4 } });
  const usage = { inputTokens: 25, outputTokens: 4 };
  expect(answer.settled(true)).toMatchObject({ source: "partial", usage });
});

test("a prompt that the vendor never counted is estimated", () => {
  const answer = stream();
  const [first] = feed(answer, [{ ...start, message: { id: "msg_1" } }, ...text, finish]);
  expect(first).toMatchObject({ message: { usage: { input_tokens: 9, output_tokens: 0 } } });
  const usage = { inputTokens: 9, outputTokens: 15 };
  expect(answer.settled(true)).toMatchObject({ source: "partial", usage });
});

test("pings are passed on and are no sign of work, nor is a second start", () => {
  const answer = stream();
  feed(answer, [start]);
  for (const event of [{ type: "ping" }, start]) {
    expect(answer.push(JSON.stringify(event))).toMatchObject({ kind: "frames", isWork: false });
  }
  expect(answer.push(JSON.stringify(text[0]))).toMatchObject({ kind: "frames", isWork: true });
});

test("new-api#5289, bitrouter#537: a stream that breaks off costs its real prompt and what came through", () => {
  const answer = stream();
  feed(answer, [start, ...text]);
  const { source, usage } = answer.settled(false);
  expect(source).toBe("partial");
  expect(usage.inputTokens).toBe(25);
  expect(usage.outputTokens).toBeGreaterThan(2);
});

test("a stream that breaks off after its last counts costs those", () => {
  const answer = stream();
  feed(answer, [start, ...text, finish]);
  expect(answer.settled(false)).toMatchObject({ source: "upstream", usage: { outputTokens: 15 } });
});

test("an upstream that ends without its last events is completed", () => {
  const answer = stream();
  feed(answer, [start, ...text.slice(0, 2)]);
  expect(namedEventsOf(answer.ending())).toEqual([
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta, usage: { output_tokens: expect.any(Number) } },
    { type: "message_stop" },
  ]);
});

test("litellm#32357: a second start never reaches the client", () => {
  expect(feed(stream(), [start, start]).map((event) => event.type)).toEqual(["message_start", "ping"]);
});

test("an error event is an error, whatever came before it", () => {
  const answer = stream();
  feed(answer, [start]);
  const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const words = { message: "Overloaded", status: 529 };
  expect(answer.push(JSON.stringify(error))).toEqual({ kind: "error", words });
});

test.each([["not JSON"], ["[]"], ['{"choices":[]}'], [JSON.stringify(finish)], ["[DONE]"]])(
  "%s does not begin an answer",
  (data) => {
    expect(stream().push(data)).toEqual({ kind: "malformed" });
  },
);
