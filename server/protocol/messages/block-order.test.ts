/** Blocks that overlap, continue after their end or never end: each client gets one after the other. */
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { clients } from "@/tests/support/dialect-pairs/clients";
import { dataOf } from "@/tests/support/dialect-pairs/model-answer";
import { planOf, relay } from "@/tests/support/dialect-pairs/pairs";
import { isJsonObject, type JsonObject, objects } from "../fields";

const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(0) };

const start = { type: "message_start", message: { id: "m", usage: { input_tokens: 9, output_tokens: 1 } } };
const begin = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const call = (name: string) => ({ type: "tool_use", id: name, name, input: {} });
const text = { type: "text", text: "" };
const thinking = { type: "thinking", thinking: "" };
const grow = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const json = (index: number, partial_json: string) => grow(index, { type: "input_json_delta", partial_json });
const say = (index: number, piece: string) => grow(index, { type: "text_delta", text: piece });
const stop = (index: number) => ({ type: "content_block_stop", index });
const over = [
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 7 } },
  { type: "message_stop" },
];
const f = { name: "f", input: { a: "1" } };
const g = { name: "g", input: { a: "2" } };

const streams: [what: string, events: object[], heard: object][] = [
  [
    "two calls at a time",
    [
      ...[begin(0, call("f")), begin(1, call("g")), json(0, '{"a":'), json(1, '{"a"'), json(0, '"1"}')],
      ...[json(1, ':"2"}'), stop(0), stop(1)],
    ],
    { calls: [f, g] },
  ],
  [
    "a text that goes on during a call",
    [
      ...[begin(0, text), say(0, "Hel"), begin(1, call("g")), json(1, '{"a"'), say(0, "lo")],
      ...[json(1, ':"2"}'), stop(0), stop(1)],
    ],
    { text: "Hello", calls: [g] },
  ],
  [
    "no ends of blocks",
    [
      ...[begin(0, thinking), grow(0, { type: "thinking_delta", thinking: "hm" })],
      ...[begin(1, text), say(1, "Hello"), begin(2, call("f")), json(2, '{"a":"1"}')],
    ],
    { thinking: "hm", text: "Hello", calls: [f] },
  ],
  [
    "a text that goes on after its end",
    [
      begin(0, text),
      say(0, "Hel"),
      stop(0),
      say(0, "l"),
      say(0, "o"),
      begin(1, call("f")),
      json(1, '{"a":"1"}'),
    ],
    { text: "Hello", calls: [f] },
  ],
  [
    "an empty object before the input",
    [begin(0, call("f")), json(0, "{}"), json(0, '{"a":"1"}'), stop(0)],
    { calls: [f] },
  ],
  [
    "nothing but null as the input",
    [begin(0, call("f")), json(0, "null"), stop(0)],
    { calls: [{ name: "f", input: {} }] },
  ],
];

/** Fails where a block is not the only open one, or has another number than the next. */
function expectOrder(events: JsonObject[]): void {
  let open: unknown = null;
  let next = 0;
  for (const { type, index } of events) {
    if (type === "content_block_start") {
      expect([open, index]).toEqual([null, next++]);
      open = index;
    } else if (type === "content_block_delta" || type === "content_block_stop") {
      expect(index).toBe(open);
      open = type === "content_block_stop" ? null : open;
    } else if (type === "message_delta") {
      expect(open).toBeNull();
    }
  }
}

describe.each(["chat", "messages", "responses", "gemini"] as const)("a client of %s", (client) => {
  test.each(streams)("gets the blocks of a stream with %s", (_, events, heard) => {
    const sent = [start, ...events, ...over].map((event) => JSON.stringify(event));
    const written = relay({ client, upstream: "messages" }, sent);
    expect(clients[client].stream(written)).toMatchObject({ ...heard, finish: "calls" });
    expectOrder(client === "messages" ? dataOf(written) : []);
  });
});

test("a signature that comes after the next block has begun stays with its block where the client can still get it", () => {
  const sign = grow(0, { type: "signature_delta", signature: "sig" });
  const think = grow(0, { type: "thinking_delta", thinking: "hm" });
  const events = [
    start,
    begin(0, thinking),
    think,
    begin(1, text),
    say(1, "Hel"),
    sign,
    say(1, "lo"),
    ...over,
  ];
  const sent = events.map((event) => JSON.stringify(event));
  const own = dataOf(relay({ client: "messages", upstream: "messages" }, sent));
  const signed = own.filter(({ delta }) => isJsonObject(delta) && delta.type === "signature_delta");
  expect(signed).toEqual([sign]);
  const written = relay({ client: "chat", upstream: "messages" }, sent);
  const blocks = dataOf(written).flatMap(({ choices }) =>
    objects(choices).map(({ delta }) => (isJsonObject(delta) ? delta.thinking_blocks : undefined)),
  );
  expect(blocks.filter((each) => each !== undefined)).toMatchObject([
    [{ type: "thinking", thinking: "hm", signature: "sig" }],
  ]);
  const collected = atOnce(
    planOf({ client: "chat", upstream: "messages" }, false).otherForm().collect(sent, context),
  );
  expect(JSON.stringify(collected)).toContain('"signature":"sig"');
  for (const client of ["chat", "responses", "gemini"] as const) {
    const heard = clients[client].stream(relay({ client, upstream: "messages" }, sent));
    expect(heard).toMatchObject({ thinking: "hm", text: "Hello" });
  }
});

test("an end without a word is a normal one", () => {
  const end = { type: "message_delta", delta: { stop_reason: "" }, usage: { output_tokens: 7 } };
  const events = [start, begin(0, text), say(0, "Hello"), stop(0), end, { type: "message_stop" }];
  const sent = events.map((event) => JSON.stringify(event));
  const heard = clients.messages.stream(relay({ client: "messages", upstream: "messages" }, sent));
  expect(heard).toMatchObject({ text: "Hello", finish: "end" });
});

test("a piece of a call that never began is no beginning of an answer", () => {
  const stream = planOf({ client: "messages", upstream: "messages" }, true).openStream(context);
  expect(stream.push(JSON.stringify(json(0, "{"))).kind).toBe("malformed");
  expect(stream.isStarted).toBe(false);
});
