import fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "@/tests/support/any-text";
import { collectGarbage } from "@/tests/support/collect-garbage";
import { ChatReader } from "../chat/reader";
import { ChatWriter } from "../chat/writer";
import type { JsonObject } from "../fields";
import { MessagesReader } from "../messages/reader";
import { messagesWriter } from "../messages/writer";
import type { StreamReader, StreamWriter } from "../upstream-plan";
import { joinStream } from "./client-answer";

const context = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) };

type StreamPair = { reader: StreamReader<JsonObject>; writer: StreamWriter<JsonObject> };

/** The client's text for these events, and the charge; `isRead`: each event is parsed separately. */
function play(data: string[], { reader, writer, isRead }: StreamPair & { isRead: boolean }) {
  let reads = 0;
  const read = reader.read.bind(reader);
  reader.read = (text) => {
    reads++;
    return read(text);
  };
  const plain = Object.create(writer, { isVerbatim: { value: undefined } }) as typeof writer;
  const stream = joinStream(reader, isRead ? plain : writer);
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

/** Few words, so that a word often repeats. */
const word = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(" lorem", " ipsum dolor", "收费") },
  {
    weight: 3,
    arbitrary: fc.constantFrom("", '"', "\\", "\n", "\u2028", '","x":"', '"},"y":{"', "🛣️", "index"),
  },
  anyText({ maxLength: 8 }),
);

/** Runs of events of one kind, each with its word. */
const runsOf = (kinds: ((word: string) => string)[]) =>
  fc
    .array(fc.tuple(fc.nat(kinds.length - 1), fc.array(word, { minLength: 1, maxLength: 6 })), {
      maxLength: 12,
    })
    .map((runs) => runs.flatMap(([kind, words]) => words.map((text) => kinds[kind]?.(text) ?? "")));

/** Prints as Python does: with spaces, and ASCII only. */
const pythonic = (event: object) =>
  JSON.stringify(event, null, 1)
    .replace(/\n */g, " ")
    .replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

const hanging = { index: 0, finish_reason: null };
const head = { id: "c", created: 1, model: "vendor", object: "chat.completion.chunk" };
type More = { choice?: object; [member: string]: unknown };
const chunk = (delta: object, { choice = {}, ...more }: More = {}) => ({
  ...{ ...head, ...more, choices: [{ ...hanging, delta, ...choice }] },
});
const counts = { prompt_tokens: 3, completion_tokens: 5 };
const call = (args: string) => [{ index: 0, id: "t", function: { name: "f", arguments: args } }];
const chatChunks: ((word: string) => object)[] = [
  (content) => chunk({ content }),
  (content) => chunk({ content }),
  (reasoning_content) => chunk({ content: null, reasoning_content }),
  (reasoning) => chunk({ content: "", reasoning }),
  (text) => chunk({ content: [{ type: "text", text }] }),
  (thinking) => chunk({ content: [{ type: "thinking", thinking }] }),
  (text) => chunk({ reasoning_details: [{ text }] }),
  (text) => chunk({ content: text, reasoning_content: text }),
  (text) => chunk({ content: text, reasoning_content: "hm" }),
  (refusal) => chunk({ refusal }),
  (content) => chunk({ role: "assistant", content }),
  (content) => chunk({ content, tool_calls: call(content) }),
  // The difference is before the word, after it, or the word itself.
  (content) => chunk({ content }, { choice: { index: 1 } }),
  (content) => chunk({ content }, { choice: { at: content.length % 10 } }),
  (content) => chunk({ content }, { choice: { finish_reason: content.length > 6 ? "stop" : null } }),
  (note) => ({ note, ...chunk({ content: " lorem" }) }),
  (note) => ({ note, ...chunk({ content: note }) }),
  // The text is assembled from parts elsewhere, and occurs literally only where it is not kept.
  (model) => ({ ...chunk({ content: [" lo", "rem"] }), model }),
  (usage) => chunk({ content: [" lo", "rem"] }, { choice: { usage } }),
  (id) => ({
    ...chunk({ content: [{ type: "thinking", thinking: [{ text: " lo" }, { text: "rem" }] }] }),
    id,
  }),
  (content) => chunk({ content }, { usage: null, obfuscation: "x" }),
  (content) => chunk({ content }, { usage: counts }),
  (text) => ({ ...head, choices: [], usage: { ...counts, completion_tokens: text.length } }),
];
const chatEvents = [
  ...[JSON.stringify, pythonic].flatMap((print) =>
    chatChunks.map((make) => (text: string) => print(make(text))),
  ),
  // Not JSON.
  () => JSON.stringify(chunk({ content: "CONTENT" })).replace("CONTENT", "\u0001"),
  // The word occurs literally, but not as the text: in a member that only seems to hold it, and is left out.
  (text: string) =>
    JSON.stringify(chunk({ content: "CONTENT" }, { choice: { usage: `say "${text}` } })).replace(
      "CONTENT",
      "\\u0020lorem",
    ),
];

/** Also checks that some events are not read at all. */
function expectSame(streams: fc.Arbitrary<string[]>, dialect: (wantsUsage: boolean) => StreamPair): void {
  let reads = 0;
  let events = 0;
  fc.assert(
    fc.property(streams, fc.boolean(), (data, wantsUsage) => {
      const viaTemplates = play(data, { ...dialect(wantsUsage), isRead: false });
      expect(viaTemplates.said).toEqual(play(data, { ...dialect(wantsUsage), isRead: true }).said);
      reads += viaTemplates.reads;
      events += data.length;
    }),
    { numRuns: 3_000 },
  );
  expect(reads).toBeLessThan(events * 0.95);
}

test("chat chunks give the same stream, whether each is parsed or printed from the template of its kind", () => {
  expectSame(runsOf(chatEvents), dialects.chat);
});

const start = {
  type: "message_start",
  message: { id: "m", model: "v", usage: { input_tokens: 25, output_tokens: 1 } },
};
const block = (delta: object, more = {}) => ({ type: "content_block_delta", index: 0, delta, ...more });
const messagesObjects: ((word: string) => object)[] = [
  (text) => block({ type: "text_delta", text }),
  (text) => block({ type: "text_delta", text }),
  (thinking) => block({ type: "thinking_delta", thinking }),
  (partial_json) => block({ type: "input_json_delta", partial_json }),
  (signature) => block({ type: "signature_delta", signature }),
  (text) => block({ type: "text_delta", text, thinking: text }),
  (text) => block({ type: "text_delta", text, thinking: "hm" }),
  (text) => block({ type: "text_delta", text }, { at: text.length % 10 }),
  (note) => ({ note, ...block({ type: "text_delta", text: " lorem" }) }),
  (text) => ({ type: "content_block_start", index: 0, content_block: { type: "text", text } }),
  () => ({ type: "content_block_stop", index: 0 }),
  () => ({ type: "ping" }),
  (text) => ({ type: "message_delta", delta: {}, usage: { output_tokens: text.length } }),
];
const messagesEvents = [JSON.stringify, pythonic].flatMap((print) =>
  messagesObjects.map((make) => (text: string) => print(make(text))),
);

test("messages events give the same stream, whether each is parsed or printed from the template of its kind", () => {
  const streams = runsOf(messagesEvents).map((events) => [JSON.stringify(start), ...events]);
  expectSame(streams, dialects.messages);
});

test("a text that is assembled from parts is never taken for an equal literal in the event", () => {
  const eventOf = (model: string) => JSON.stringify({ ...chunk({ content: [" lo", "rem"] }), model });
  const data = [" lorem", " lorem", " lorem", "another model", "a third"].map(eventOf);
  const viaTemplates = play(data, { ...dialects.chat(false), isRead: false });
  expect(viaTemplates.said).toEqual(play(data, { ...dialects.chat(false), isRead: true }).said);
  expect(viaTemplates.said.steps.at(-1)).toMatchObject({
    text: expect.stringContaining('"content":" lorem"'),
  });
});

test("three of a thousand words in a row are parsed, and every event that differs from the one before it", () => {
  const words = Array.from({ length: 1_000 }, (_, at) => JSON.stringify(chunk({ content: ` word${at}` })));
  expect(play(words, { ...dialects.chat(false), isRead: false }).reads).toBe(3);
  const others = words.map((_, at) => JSON.stringify(chunk({ content: " word" }, { at })));
  expect(play(others, { ...dialects.chat(false), isRead: false }).reads).toBe(1_000);
});

test("a stream keeps no memory of the network's chunk that held the events of its templates", () => {
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const delivered = 256 * 1024;
  const open = (stream: number) => {
    const { reader, writer } = dialects.chat(false);
    const joined = joinStream(reader, writer);
    const words = [" lorem", " ipsum", " dolor"].map((content) =>
      JSON.stringify(chunk({ content }, { at: stream })),
    );
    const text = Buffer.from(`${words.join("\n")}\n`.padEnd(delivered)).toString();
    for (const data of text.split("\n").slice(0, words.length)) {
      joined.push(data);
    }
    return joined;
  };
  const before = heap();
  const streams = Array.from({ length: 100 }, (_, stream) => open(stream));
  expect((heap() - before) / streams.length).toBeLessThan(delivered / 8);
});
