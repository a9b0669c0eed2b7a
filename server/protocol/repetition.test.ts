import fc from "fast-check";
import { expect, test } from "vitest";
import { ChatReader } from "./chat/reader";
import { ChatWriter } from "./chat/writer";
import type { JsonObject } from "./fields";
import { MessagesReader } from "./messages/reader";
import { messagesWriter } from "./messages/writer";
import { joinStream, type StreamReader, type StreamWriter } from "./upstream-plan";

const context = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) };

/** What a client gets of these events, and what is charged for them; `isRead`: each is read by itself. */
function play(
  data: string[],
  {
    reader,
    writer,
    isRead,
  }: { reader: StreamReader<JsonObject>; writer: StreamWriter<JsonObject>; isRead: boolean },
) {
  let reads = 0;
  const read = (text: string) => {
    reads++;
    return reader.read(text);
  };
  const counting: typeof reader = {
    get isStarted() {
      return reader.isStarted;
    },
    get isFinished() {
      return reader.isFinished;
    },
    read,
    owed: () => reader.owed(),
    settled: (isComplete) => reader.settled(isComplete),
    textOf: (event) => reader.textOf(event),
    count: (text) => reader.count(text),
  };
  const plain = Object.create(writer, { isVerbatim: { value: undefined } }) as typeof writer;
  const stream = joinStream(counting, isRead ? plain : writer);
  const steps = data.map((text) => stream.push(text));
  const end = { isStarted: stream.isStarted, isFinished: stream.isFinished, ending: stream.ending() };
  return { said: { steps, end, counts: [stream.settled(true), stream.settled(false)] }, reads };
}

const dialects = {
  chat: (wantsUsage: boolean) => ({
    reader: new ChatReader(context),
    writer: new ChatWriter({ wantsUsage }),
  }),
  messages: () => ({ reader: new MessagesReader(context), writer: messagesWriter }),
};

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(" lorem", " ipsum", "收费", " a", "stop", "index", "content") },
  {
    weight: 3,
    arbitrary: fc.constantFrom("", '"', "\\", "\n", "é", "\u2028", "\u007f", '","x":"', '"},"y":{"', "🛣️"),
  },
  fc.string({ unit: "binary", maxLength: 8 }),
);
const hanging = { index: 0, finish_reason: null };
const chatDelta = fc.oneof(
  { weight: 12, arbitrary: word.map((content) => ({ content })) },
  { weight: 4, arbitrary: word.map((reasoning_content) => ({ content: null, reasoning_content })) },
  { weight: 2, arbitrary: word.map((reasoning) => ({ content: "", reasoning })) },
  word.map((text) => ({ content: [{ type: "text", text }] })),
  word.map((text) => ({ reasoning_details: [{ text }] })),
  word.map((text) => ({ content: text, reasoning_content: text })),
  word.map((refusal) => ({ refusal })),
  word.map((text) => ({ role: "assistant", content: text })),
  word.map((text) => ({
    content: text,
    tool_calls: [{ index: 0, id: "t", function: { name: "f", arguments: text } }],
  })),
);
const chatEvent = fc.oneof(
  { weight: 30, arbitrary: chatDelta.map((delta) => ({ choices: [{ ...hanging, delta }] })) },
  chatDelta.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: "stop" }] })),
  chatDelta.map((delta) => ({
    choices: [
      { ...hanging, delta },
      { index: 1, delta },
    ],
  })),
  fc.tuple(chatDelta, fc.nat(99)).map(([delta, completion_tokens]) => ({
    choices: [{ ...hanging, delta }],
    usage: { prompt_tokens: 3, completion_tokens },
  })),
  chatDelta.map((delta) => ({ choices: [{ ...hanging, delta }], usage: null, obfuscation: "x" })),
  fc.nat(99).map((completion_tokens) => ({ choices: [], usage: { prompt_tokens: 3, completion_tokens } })),
);
const head = { id: "c", created: 1, model: "vendor", object: "chat.completion.chunk" };
/** As Python prints it: with spaces, and ASCII alone. */
const pythonic = (event: object) =>
  JSON.stringify(event, null, 1)
    .replace(/\n */g, " ")
    .replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
const printed = fc.constantFrom(JSON.stringify, pythonic);

test("a stream of chat chunks is the same whether each is read by itself or as one more of its kind", () => {
  let reads = 0;
  let events = 0;
  fc.assert(
    fc.property(
      fc.array(chatEvent, { maxLength: 60 }),
      printed,
      fc.boolean(),
      (chunks, print, wantsUsage) => {
        const data = chunks.map((chunk) => print({ ...head, ...chunk }));
        const quick = play(data, { ...dialects.chat(wantsUsage), isRead: false });
        expect(quick.said).toEqual(play(data, { ...dialects.chat(wantsUsage), isRead: true }).said);
        reads += quick.reads;
        events += data.length;
      },
    ),
    { numRuns: 500 },
  );
  expect(reads).toBeLessThan(events);
});

const start = {
  type: "message_start",
  message: { id: "m", model: "v", usage: { input_tokens: 25, output_tokens: 1 } },
};
const messagesDelta = fc.oneof(
  { weight: 12, arbitrary: word.map((text) => ({ type: "text_delta", text })) },
  { weight: 4, arbitrary: word.map((thinking) => ({ type: "thinking_delta", thinking })) },
  { weight: 4, arbitrary: word.map((partial_json) => ({ type: "input_json_delta", partial_json })) },
  word.map((signature) => ({ type: "signature_delta", signature })),
  word.map((text) => ({ type: "text_delta", text, thinking: text })),
);
const messagesEvent = fc.oneof(
  { weight: 30, arbitrary: messagesDelta.map((delta) => ({ type: "content_block_delta", index: 0, delta })) },
  messagesDelta.map((delta) => ({ type: "content_block_delta", index: 1, delta })),
  word.map((text) => ({ type: "content_block_start", index: 0, content_block: { type: "text", text } })),
  fc.constant({ type: "content_block_stop", index: 0 }),
  fc.constant({ type: "ping" }),
  fc.nat(99).map((output_tokens) => ({ type: "message_delta", delta: {}, usage: { output_tokens } })),
);

test("a stream of messages events is the same whether each is read by itself or as one more of its kind", () => {
  let reads = 0;
  let all = 0;
  fc.assert(
    fc.property(fc.array(messagesEvent, { maxLength: 60 }), printed, (events, print) => {
      const data = [start, ...events].map((event) => print(event));
      const quick = play(data, { ...dialects.messages(), isRead: false });
      expect(quick.said).toEqual(play(data, { ...dialects.messages(), isRead: true }).said);
      reads += quick.reads;
      all += data.length;
    }),
    { numRuns: 500 },
  );
  expect(reads).toBeLessThan(all);
});

test("of a thousand words in a row three are read, and where every event is another one, all are", () => {
  const chunk = (content: string, more: object = {}) =>
    JSON.stringify({ ...head, choices: [{ ...hanging, delta: { content } }], ...more });
  const words = Array.from({ length: 1_000 }, (_, at) => chunk(` word${at}`));
  expect(play(words, { ...dialects.chat(false), isRead: false }).reads).toBe(3);
  const others = words.map((_, at) => chunk(" word", { at }));
  expect(play(others, { ...dialects.chat(false), isRead: false }).reads).toBe(1_000);
});
