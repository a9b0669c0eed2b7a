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

test.each(['{"choices":[]}', '{"type":"message_stop"}', '{"type":"shipping"}', "1"])(
  "%s is an event",
  (data) => {
    expect(readEventJson(data)).toEqual({ kind: "json", value: JSON.parse(data) });
  },
);

test.each(["pinged", "not JSON", "[DONE"])("%j is no JSON", (data) => {
  expect(readEventJson(data)).toEqual({ kind: "malformed" });
});

test("an event comes out of its envelope", () => {
  const data = JSON.stringify([{ code: 0, data: { choices: [] } }]);
  expect(readEventJson(data)).toEqual({ kind: "json", value: { choices: [] } });
});

describe.each(["messages", "responses", "gemini"] as const)("in a stream of %s", (dialect) => {
  const events = upstreams[dialect].stream({
    ...{ thinking: [], text: ["Hello"], calls: [], isCut: false },
    usage: { input: 9, cached: 0, output: 7, reasoning: 0 },
  });
  const open = (count: number) => {
    const reader = readers[dialect]();
    for (const event of events.slice(0, count)) {
      reader.read(JSON.stringify(event));
    }
    return reader;
  };

  test("an object of a gateway in between does not break an answer off, but begins none", () => {
    expect(open(0).read('{"status":"working"}')).toEqual({ kind: "malformed" });
    expect(open(2).read('{"status":"working"}')).toEqual({ kind: "ping" });
  });
});
