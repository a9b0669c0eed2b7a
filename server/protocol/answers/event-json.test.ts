import { describe, expect, test } from "vitest";
import { relay } from "@/tests/support/dialect-pairs/pairs";
import { upstreams } from "@/tests/support/dialect-pairs/upstreams";
import { ChatReader } from "../chat/reader";
import { GeminiReader } from "../gemini/reader";
import { MessagesReader } from "../messages/reader";
import { ResponsesReader } from "../responses/reader";
import { readEventJson } from "./event-json";

const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(0) };
const readers = {
  chat: () => new ChatReader(context),
  messages: () => new MessagesReader(context),
  responses: () => new ResponsesReader(context),
  gemini: () => new GeminiReader(context),
};
const dialects = ["chat", "messages", "responses", "gemini"] as const;

const alive = [
  ...["", " ", "ping", "[PING]", '"ping"', "keep-alive", "keepalive", "<heartbeat>"],
  ...['{"type":"ping"}', '{"type":"ping","time":1}', '{"type":"KEEP_ALIVE"}', '{"object":"ping"}'],
  ...['{"object":"chat.completion.chunk.keepalive"}', '{"event":"heartbeat"}', '{"ping":1764000000}'],
  ...['{"keepalive":true}', '{"error":null}', '{"error":{}}', "{}", '[{"type":"ping"}]'],
];

describe.each(dialects)("a sign of life in a stream of %s", (dialect) => {
  test.each(alive)("%j is none of its events, not even the first", (data) => {
    const reader = readers[dialect]();
    expect(reader.read(data)).toEqual({ kind: "ping" });
    expect(reader.isStarted).toBe(false);
  });

  test("changes nothing of the answer", () => {
    const answer = {
      ...{ thinking: [], text: ["Hel", "lo"], calls: [], isCut: false },
      usage: { input: 9, cached: 0, output: 7, reasoning: 0 },
    };
    const events = upstreams[dialect].stream(answer).map((event) => JSON.stringify(event));
    const way = { client: "chat", upstream: dialect } as const;
    const among = events.flatMap((event) => [event, ...alive]);
    expect(relay(way, among).replaceAll(": keep-alive\n\n", "")).toBe(relay(way, events));
  });
});

test.each(['{"choices":[]}', '{"type":"message_stop"}', '{"type":"shipping"}'])("%s is an event", (data) => {
  expect(readEventJson(data)).toEqual({ kind: "json", value: JSON.parse(data), isOpened: false });
});

test.each(["<html>", '{"choices":', 'lo"}}]}', "[DONE"])("%j is no JSON", (data) => {
  expect(readEventJson(data)).toEqual({ kind: "malformed" });
});

/** Events that are no part of an answer: notices, or errors in no form of an error. */
const notices = [
  ...["1", "true", '"working"', "[1]", "[]", "null", "queued, 3 before you", '{"message":"queued"}'],
  ...[
    '{"detail":"still working"}',
    '{"data":{"message":"no"}}',
    '{"status":"working"}',
    '{"type":"progress"}',
  ],
  ...['{"event":"progress","data":{"percent":10}}', '{"success":true}', '{"code":0,"msg":"ok","data":{}}'],
];
const errors: [data: string, message: string][] = [
  ['{"error":{"message":"no"}}', "no"],
  ['{"error":"no"}', "no"],
  ['{"code":1001,"message":"no"}', "no"],
  ['{"type":"error","message":"no"}', "no"],
  ['{"success":false,"errors":[{"code":1,"message":"no"}]}', "no"],
];
const answer = {
  ...{ thinking: [], text: ["Hel", "lo"], calls: [], isCut: false },
  usage: { input: 9, cached: 0, output: 7, reasoning: 0 },
};

describe.each(dialects)("in a stream of %s", (dialect) => {
  const way = { client: "chat", upstream: dialect } as const;
  const events = upstreams[dialect].stream(answer).map((event) => JSON.stringify(event));
  const open = (sent: string[]) => {
    const reader = readers[dialect]();
    const kinds = sent.map((data) => reader.read(data).kind);
    return { reader, kinds };
  };

  test.each(notices)("%s breaks no answer off, and begins none", (data) => {
    const { reader, kinds } = open([data]);
    expect([kinds, reader.isStarted]).toEqual([["ping"], false]);
    const among = [...events.flatMap((event) => [data, event]), data];
    expect(relay(way, among).replaceAll(": keep-alive\n\n", "")).toBe(relay(way, events));
  });

  test.each(errors)("%s is an error, before and after content", (data, message) => {
    for (const sent of [[data], [...events.slice(0, 3), data]]) {
      const { reader } = open(sent.slice(0, -1));
      expect(reader.read(data)).toMatchObject({ kind: "error", words: { message } });
    }
  });

  test("an error in an envelope is one, unless the answer comes without one and continues", () => {
    const data = '{"data":{"error":{"message":"no"}}}';
    const words = { message: "no", status: null };
    expect(readers[dialect]().read(data)).toEqual({ kind: "error", words });
    const wrapped = events.slice(0, 3).map((event) => `{"data":${event}}`);
    expect(open(wrapped).reader.read(data)).toEqual({ kind: "error", words });
    const [first = "", ...rest] = events;
    const bare = open([first, data]);
    expect([bare.kinds.at(-1), bare.reader.doubt]).toEqual(["ping", words]);
    expect(bare.reader.read("[DONE]")).toEqual({ kind: "error", words });
    expect(relay(way, [first, data, ...rest]).replaceAll(": keep-alive\n\n", "")).toBe(relay(way, events));
  });

  test("the event that ends an answer counts once", () => {
    const choice = { index: 0, delta: { content: "!" }, finish_reason: "stop" };
    const candidate = { content: { parts: [{ text: "!" }] }, finishReason: "STOP", index: 0 };
    const ends = {
      chat: { id: "up", choices: [choice], usage: { prompt_tokens: 9, completion_tokens: 7 } },
      messages: { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } },
      responses: JSON.parse(events.at(-1) ?? ""),
      gemini: { candidates: [candidate], usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 7 } },
    };
    const end = JSON.stringify(ends[dialect]);
    const before = events.slice(0, 2);
    expect(relay(way, [...before, end, end]).replaceAll(": keep-alive\n\n", "")).toBe(
      relay(way, [...before, end]),
    );
  });

  test("mere words are the error of a stream that ends after them, and of none that continues", () => {
    const words = { message: "no room", status: null };
    expect(open(['{"message":"no room"}']).reader.doubt).toEqual(words);
    expect(open(["no room"]).reader.doubt).toEqual(words);
    expect(open([...events.slice(0, 2), '"no room"']).reader.doubt).toEqual(words);
    expect(open(['"no room"', ...events.slice(0, 3)]).reader.doubt).toBeNull();
    expect(open(["no room"]).reader.read("[DONE]")).toEqual({ kind: "error", words });
  });
});

test("an event comes out of its envelope", () => {
  const data = JSON.stringify([{ code: 0, data: { choices: [] } }]);
  expect(readEventJson(data)).toEqual({ kind: "json", value: { choices: [] }, isOpened: true });
});

test("words before [DONE] are no error of a stream of chat that names no other end (Snowflake)", () => {
  const reader = readers.chat();
  const said = { id: "c", choices: [{ index: 0, delta: { content: "a" } }] };
  const kinds = [JSON.stringify(said), '{"message":"queued"}', "[DONE]"].map(
    (data) => reader.read(data).kind,
  );
  expect(kinds).toEqual(["events", "ping", "done"]);
});
