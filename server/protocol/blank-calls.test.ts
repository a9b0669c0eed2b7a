/** Calls that have neither a name nor arguments: the rest of the answer goes to the client without them. */
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { clients } from "@/tests/support/dialect-pairs/clients";
import { planOf, relay } from "@/tests/support/dialect-pairs/pairs";
import type { Dialect } from "./capabilities";
import type { JsonObject } from "./fields";

const dialects = ["chat", "messages", "responses", "gemini"] as const;
const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(5_000) };
const usage = { input_tokens: 9, output_tokens: 7 };
const chatUsage = { prompt_tokens: 9, completion_tokens: 7 };
const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 7, totalTokenCount: 16 };
const heard = { text: "Hello", calls: [{ name: "f", input: { a: "1" } }], finish: "calls" };

const chatCalls = (args: unknown) => [
  { index: 0, id: "x", type: "function", function: { name: "", arguments: args } },
  { index: 1, id: "a", type: "function", function: { name: "f", arguments: '{"a":"1"}' } },
];
const item = (name: string, args: unknown) => ({
  ...{ id: `fc_${name}`, type: "function_call", call_id: `c${name}`, name, arguments: args },
});
const block = (name: string, input: unknown) => ({ type: "tool_use", id: `t${name}`, name, input });
const started = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const grown = (index: number, partial_json: unknown) => ({
  ...{ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } },
});
const stopped = (index: number) => ({ type: "content_block_stop", index });

/** The events of an item that is a call. */
const calledItem = (output_index: number, called: JsonObject) => [
  { type: "response.output_item.added", output_index, item: { ...called, arguments: "" } },
  { type: "response.function_call_arguments.delta", output_index, delta: called.arguments },
  { type: "response.function_call_arguments.done", output_index, arguments: called.arguments },
  { type: "response.output_item.done", output_index, item: called },
];

/** A whole answer with a text, a blank call and a call. `args`: those of the blank one. */
const wholes: Record<Dialect, (args: unknown) => JsonObject> = {
  chat: (args) => ({
    choices: [{ message: { content: "Hello", tool_calls: chatCalls(args) }, finish_reason: "tool_calls" }],
    usage: chatUsage,
  }),
  messages: (args) => ({
    ...{ id: "m", type: "message", stop_reason: "tool_use", usage },
    content: [{ type: "text", text: "Hello" }, block("", args), block("f", { a: "1" })],
  }),
  responses: (args) => ({
    ...{ id: "r", status: "completed", usage },
    output: [{ role: "assistant", content: "Hello" }, item("", args), item("f", '{"a":"1"}')],
  }),
  gemini: (args) => {
    const parts = [
      { text: "Hello" },
      { functionCall: { name: "", args } },
      { functionCall: { name: "f", args: { a: "1" } } },
    ];
    return { candidates: [{ content: { parts }, finishReason: "STOP", index: 0 }], usageMetadata };
  },
};

const streams = {
  chat: (args: unknown): JsonObject[] => [
    { id: "c", choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: null }] },
    ...chatCalls(args).map((call) => ({
      ...{ id: "c", choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] },
    })),
    { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], usage: chatUsage },
  ],
  messages: (args: unknown): JsonObject[] => [
    { type: "message_start", message: { id: "m", usage } },
    ...[started(0, block("", {})), grown(0, args), stopped(0)],
    ...[started(1, { type: "text", text: "Hello" }), stopped(1)],
    ...[started(2, block("f", {})), grown(2, '{"a":"1"}'), stopped(2)],
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage },
    { type: "message_stop" },
  ],
  gemini: (args: unknown): JsonObject[] => [wholes.gemini(args)],
  responses: (args: unknown): JsonObject[] => {
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] };
    const output = [item("", args), message, item("f", '{"a":"1"}')];
    const completed = { id: "r", status: "completed", output, usage };
    return [
      { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
      ...calledItem(0, item("", args)),
      { type: "response.output_item.added", output_index: 1, item: { ...message, content: [] } },
      { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hello" },
      { type: "response.output_item.done", output_index: 1, item: message },
      ...calledItem(2, item("f", '{"a":"1"}')),
      { type: "response.completed", response: completed },
    ];
  },
};

describe.each(dialects)("a client of %s", (client) => {
  test.each(dialects.flatMap((upstream) => ["", "{}", {}].map((args) => ({ upstream, args }))))(
    "gets the rest of a whole answer of $upstream with a nameless call of $args",
    ({ upstream, args }) => {
      const read = atOnce(planOf({ client, upstream }, false).readAnswer(wholes[upstream](args), context));
      const body = typeof read === "string" ? read : JSON.stringify(read.body);
      expect(clients[client].whole(body)).toMatchObject({ ...heard, usage: { input: 9, output: 7 } });
    },
  );

  test.each(dialects.flatMap((upstream) => ["", "{}"].map((args) => ({ upstream, args }))))(
    "gets the rest of a stream of $upstream with a nameless call of $args",
    ({ upstream, args }) => {
      const events = streams[upstream](args).map((event) => JSON.stringify(event));
      const written = relay({ client, upstream }, events);
      expect(written).not.toContain('"error":{');
      expect(clients[client].stream(written)).toMatchObject({ ...heard, usage: { input: 9, output: 7 } });
    },
  );
});

test("blocks after a blank call have no gap in their numbers", () => {
  const events = streams.messages("").map((event) => JSON.stringify(event));
  const written = relay({ client: "messages", upstream: "messages" }, events);
  const places = [...written.matchAll(/"type":"content_block_start","index":(\d)/g)].map(
    ([, place]) => place,
  );
  expect(places).toEqual(["0", "1"]);
});

const nothings: Record<Dialect, JsonObject> = {
  chat: { choices: [{ message: { content: "", tool_calls: chatCalls("").slice(0, 1) } }], usage: chatUsage },
  messages: { id: "m", type: "message", content: [{ type: "text", text: "" }, block("", {})], usage },
  responses: { id: "r", status: "completed", output: [item("", "")], usage },
  gemini: {
    candidates: [{ content: { parts: [{ functionCall: { name: "", args: {} } }] }, finishReason: "STOP" }],
    usageMetadata,
  },
};

test.each(dialects)("a whole answer of %s with nothing else is none", (upstream) => {
  const plan = planOf({ client: upstream, upstream }, false);
  expect(atOnce(plan.readAnswer(structuredClone(nothings[upstream]), context))).toBe("unusable");
});

describe.each(dialects)("of a Responses stream, a client of %s", (client) => {
  const added = (output_index: number, of: JsonObject) => ({
    ...{ type: "response.output_item.added", output_index, item: { ...of, arguments: "" } },
  });
  const done = (output_index: number, of: JsonObject) => ({
    ...{ type: "response.output_item.done", output_index, item: of },
  });
  const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] };
  const thought = { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "hm" }] };
  const written = (events: JsonObject[], output: JsonObject[]) => {
    const all = [
      { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
      ...events,
      { type: "response.completed", response: { id: "r", status: "completed", output, usage } },
    ];
    return relay(
      { client, upstream: "responses" },
      all.map((event) => JSON.stringify(event)),
    );
  };
  const isError = (text: string) => /"error":\{|event: error|"type":"error"/.test(text);

  test("gets an error for arguments without a name, even if the item's last event has neither", () => {
    const events = [
      ...[added(0, { ...message, content: [] }), done(0, message), added(1, item("", ""))],
      { type: "response.function_call_arguments.delta", output_index: 1, delta: '{"a":"1"}' },
      done(1, item("", "")),
    ];
    expect(isError(written(events, [message, item("", "")]))).toBe(true);
  });

  test("gets the call whose name comes after its arguments", () => {
    const events = [
      added(0, item("", "")),
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"a":"1"}' },
      done(0, item("f", '{"a":"1"}')),
    ];
    const text = written(events, [item("f", '{"a":"1"}')]);
    expect(isError(text)).toBe(false);
    expect(clients[client].stream(text)).toMatchObject({ calls: [{ name: "f", input: { a: "1" } }] });
  });

  test("gets an error if there is nothing but thinking and a call that calls nothing", () => {
    const events = [done(0, thought), added(1, item("", "")), done(1, item("", ""))];
    expect(isError(written(events, []))).toBe(true);
  });

  test("gets the text that was streamed if the final response has nothing but such a call", () => {
    const events = [added(0, { ...message, content: [] }), done(0, message), ...calledItem(1, item("", ""))];
    const text = written(events, [item("", "")]);
    expect(isError(text)).toBe(false);
    expect(clients[client].stream(text)).toMatchObject({ text: "Hello" });
    expect(text).not.toContain('"name":""');
  });
});
