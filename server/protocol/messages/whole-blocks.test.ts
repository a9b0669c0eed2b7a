/** Texts and inputs that a vendor sends whole where a stream has pieces, and blocks without their own number. */
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { clients } from "@/tests/support/dialect-pairs/clients";
import { planOf } from "@/tests/support/dialect-pairs/pairs";
import { namedEventsOf } from "@/tests/support/sse-events";
import { joinStream } from "../answers/client-answer";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { readMessagesAnswer } from "./answer";
import { MessagesReader } from "./reader";
import { messagesWriter } from "./writer";

const context = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) };
const usage = { input_tokens: 3, output_tokens: 7 };
const text = { type: "text", text: "hello" };
const use = { type: "tool_use", id: "t", name: "f", input: { a: "1" } };
const start = (more: object = {}) => ({ type: "message_start", message: { id: "m", usage, ...more } });
const begin = (content_block: object, index?: unknown) => ({
  type: "content_block_start",
  index,
  content_block,
});
const grow = (delta: object, index?: unknown) => ({ type: "content_block_delta", index, delta });
const say = (words: string, index?: unknown) => grow({ type: "text_delta", text: words }, index);
const stop = (index?: unknown) => ({ type: "content_block_stop", index });
const finish = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage };
const over = { type: "message_stop" };

function streamOf(events: object[]): JsonObject[] {
  const stream = joinStream(new MessagesReader(context), messagesWriter);
  const steps = events.map((event) => stream.push(JSON.stringify(event)));
  const written = steps.map((step) => (step.kind === "frames" ? step.text : "")).join("");
  return namedEventsOf(written + stream.ending()).filter(({ type }) => type !== "ping");
}

/** The blocks that a client adds up, which takes only the type and the names from a block's start, as Claude Code does. */
function blocksOf(events: JsonObject[]): string[] {
  const blocks: string[] = [];
  for (const { type, index, delta, content_block: block } of events) {
    if (type === "content_block_start" && isJsonObject(block)) {
      expect(index).toBe(blocks.length);
      blocks.push(`${block.type} `);
    } else if (isJsonObject(delta) && typeof index === "number") {
      blocks[index] += textOf(delta.text) + textOf(delta.thinking) + textOf(delta.partial_json);
    }
  }
  return blocks;
}

const both = ["text hello", 'tool_use {"a":"1"}'];

test.each<[string, object[], string[]]>([
  ["all blocks are in the start of the message", [start({ content: [text, use] }), finish, over], both],
  ["there is only the start", [start({ content: [text, use], stop_reason: "tool_use" }), over], both],
  [
    "the whole message is one event",
    [{ id: "m", type: "message", content: [text, use], usage, stop_reason: "tool_use" }],
    both,
  ],
  ["the content of the start is a text", [start({ content: "hello" }), finish, over], ["text hello"]],
  [
    "the blocks in the start come again as events",
    [
      start({ content: [text] }),
      begin({ type: "text", text: "" }, 0),
      say("hello", 0),
      stop(0),
      finish,
      over,
    ],
    ["text hello"],
  ],
  [
    "texts and inputs are in the start of their block",
    [start(), begin(text, 0), stop(0), begin(use, 1), stop(1), finish, over],
    both,
  ],
  [
    "an input is in the start of its block and in pieces",
    [
      start(),
      begin(use, 0),
      grow({ type: "input_json_delta", partial_json: '{"a":"1"}' }, 0),
      stop(0),
      finish,
      over,
    ],
    ['tool_use {"a":"1"}'],
  ],
  [
    "blocks are numbered from 1",
    [start(), begin({ type: "text", text: "" }, 1), say("hello", 1), stop(1), finish, over],
    ["text hello"],
  ],
  [
    "every block has the number 0, and no end",
    [start(), begin({ type: "text", text: "" }, 0), say("hello", 0), begin(use, 0), stop(0), finish, over],
    both,
  ],
  [
    "thinking and text have the number 0, and no start",
    [start(), grow({ type: "thinking_delta", thinking: "hm" }, 0), say("hello", 0), stop(0), finish, over],
    ["thinking hm", "text hello"],
  ],
  [
    "a text follows a call of the same number, and has no start",
    [start(), begin(text, 0), stop(0), begin(use, 0), stop(0), say("B", 0), finish, over],
    [...both, "text B"],
  ],
  [
    "an input begins with an empty object",
    [
      start(),
      begin({ ...use, input: {} }, 0),
      grow({ type: "input_json_delta", partial_json: {} }, 0),
      grow({ type: "input_json_delta", partial_json: '{"a":"1"}' }, 0),
      stop(0),
      finish,
      over,
    ],
    ['tool_use {"a":"1"}'],
  ],
  [
    "a piece of thinking has an empty text and no type",
    [start(), grow({ text: "", thinking: "hm" }, 0), stop(0), finish, over],
    ["thinking hm"],
  ],
  [
    "a start comes twice",
    [
      start(),
      begin({ type: "text", text: "" }, 0),
      begin({ type: "text", text: "" }, 0),
      say("hello", 0),
      stop(0),
      finish,
      over,
    ],
    ["text hello"],
  ],
  [
    "the pieces of an input have another number than their call",
    [
      start(),
      begin({ ...use, input: {} }, 1),
      grow({ type: "input_json_delta", partial_json: '{"a":"1"}' }, 0),
      stop(1),
      finish,
      over,
    ],
    ['tool_use {"a":"1"}'],
  ],
])("%s", (_, events, expected) => {
  const read = streamOf(events);
  expect(blocksOf(read)).toEqual(expected);
  const ends = read.filter(({ type }) => type === "content_block_stop");
  expect(ends.map(({ index }) => index)).toEqual(expected.map((_block, index) => index));
  expect(read.at(-1)?.type).toBe("message_stop");
});

test("a client of another dialect gets a message that is whole in its start, at the upstream's counts", () => {
  const stream = planOf({ client: "chat", upstream: "messages" }, true).openStream(context);
  const sent = [start({ content: [text, use] }), { ...finish, usage: { output_tokens: 7 } }];
  const pushed = sent.map((event) => stream.push(JSON.stringify(event)));
  const written = pushed.map((step) => (step.kind === "frames" ? step.text : "")).join("") + stream.ending();
  expect(clients.chat.stream(written)).toMatchObject({
    ...{ text: "hello", calls: [{ name: "f", input: { a: "1" } }], finish: "calls" },
    usage: { input: 3, output: 7 },
  });
  expect(stream.settled(true).source).toBe("upstream");
});

test("an end that only the start of the message names is the message's end", () => {
  const events = streamOf([start({ content: [text], stop_reason: "max_tokens" }), over]);
  expect(events.find(({ type }) => type === "message_delta")).toMatchObject({
    delta: { stop_reason: "max_tokens" },
    usage: { output_tokens: 7 },
  });
});

test("a late start names the upstream's model, and no counts are left outside of usage", () => {
  const models: unknown[] = [];
  const reader = new MessagesReader({ ...context, onModel: (name) => void models.push(name) });
  const read = (event: object) => JSON.stringify(reader.read(JSON.stringify(event)));
  read(begin(text, 0));
  read(start({ model: "vendor" }));
  expect(models.filter((name) => name !== undefined)).toEqual(["vendor"]);
  const counts = { output_tokens: 7 };
  const end = { stop_reason: "end_turn", usage: counts };
  const written = read({ type: "message_delta", delta: end, message: { usage: counts } });
  expect(written.split('"usage"')).toHaveLength(2);
});

test("a piece of an input that belongs to no call does not begin an answer", () => {
  const reader = new MessagesReader(context);
  const piece = grow({ type: "input_json_delta", partial_json: "{" }, 0);
  expect(reader.read(JSON.stringify(piece))).toEqual({ kind: "malformed" });
  expect(reader.isStarted).toBe(false);
});

test.each<[object, string]>([
  [{ content: {} }, "malformed"],
  [{ status: "failed", content: "Internal error" }, "malformed"],
  [{ content: "hello", stop_reason: "end_turn" }, "hello"],
  [{ content: { text: "hello" } }, "hello"],
])("the answer %j is read as %s", (answer, expected) => {
  const read = atOnce(readMessagesAnswer(structuredClone(answer), context));
  expect(read === null ? "malformed" : objects(read.answer.content)[0]?.text).toBe(expected);
});

test("a piece of an input that belongs to no call is no event of this dialect", () => {
  const reader = new MessagesReader(context);
  reader.read(JSON.stringify(start()));
  const piece = grow({ type: "input_json_delta", partial_json: "{" }, 0);
  expect(reader.read(JSON.stringify(piece))).toEqual({ kind: "malformed" });
});
