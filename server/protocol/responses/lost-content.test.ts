/** Members that a vendor leaves out of items, parts or the end: the content and the end reach each client. */
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { clients } from "@/tests/support/dialect-pairs/clients";
import { dataOf } from "@/tests/support/dialect-pairs/model-answer";
import { planOf, relay } from "@/tests/support/dialect-pairs/pairs";
import { isJsonObject, type JsonObject } from "../fields";

const dialects = ["chat", "messages", "responses", "gemini"] as const;
const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(0) };
const usage = { input_tokens: 9, output_tokens: 7 };
const message = (content: unknown, more: object = { type: "message" }) => ({
  ...{ id: "msg_1", role: "assistant", content, ...more },
});
const part = { type: "output_text", text: "Hello" };
const call = { id: "fc_1", type: "function_call", call_id: "c", name: "f" };
const response = (output: unknown, more: object = { status: "completed" }) => ({
  ...{ id: "r", object: "response", output, usage, ...more },
});
const added = (item: object) => ({ type: "response.output_item.added", output_index: 0, item });
const done = (item: object) => ({ type: "response.output_item.done", output_index: 0, item });
const at = { output_index: 0, content_index: 0, item_id: "msg_1" };
const say = (delta: string) => ({ type: "response.output_text.delta", ...at, delta });
const give = (delta: unknown) => ({
  ...{ type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta },
});
const over = (output: unknown) => ({ type: "response.completed", response: response(output) });

const text = { text: "Hello", finish: "end", usage: { input: 9, output: 7 } };
const length = { text: "Hello", finish: expect.stringMatching(/^(?:length|max_output_tokens)$/) };
const called = { calls: [{ name: "f", input: { a: "1" } }], finish: "calls" };

const streams: [what: string, events: object[], heard: object][] = [
  [
    "an item without a type",
    [added(message([], {})), say("Hello"), done(message([part], {})), over([message([part], {})])],
    text,
  ],
  ["an item of nothing in its first event", [added({}), say("Hello"), over([message([part])])], text],
  [
    "an end without a response",
    [added(message([])), say("Hello"), { type: "response.completed", usage }],
    text,
  ],
  [
    "a cut end without a response",
    [added(message([])), say("Hello"), { type: "response.incomplete", usage }],
    { text: "Hello" },
  ],
  [
    "a cut end without a state",
    [
      ...[added(message([])), say("Hello")],
      {
        type: "response.incomplete",
        response: {
          ...response([message([part])], { status: "" }),
          incomplete_details: { reason: "max_output_tokens" },
        },
      },
    ],
    length,
  ],
  [
    "an empty object before the arguments",
    [added({ ...call, arguments: "" }), give("{}"), give('{"a":"1"}'), over([])],
    called,
  ],
];

const wholes: [what: string, output: unknown, heard: object][] = [
  ["one part without a list", [message(part)], text],
  ["a part without a type", [message([{ text: "Hello" }])], text],
  ["an item whose type is null", [message([part], { type: null })], text],
];

describe.each(dialects)("a client of %s", (client) => {
  test.each(streams)("gets a stream with %s", (_, events, heard) => {
    const sent = events.map((event) => JSON.stringify(event));
    expect(clients[client].stream(relay({ client, upstream: "responses" }, sent))).toMatchObject(heard);
  });

  test.each(wholes)("gets an answer with %s", (_, output, heard) => {
    const read = atOnce(
      planOf({ client, upstream: "responses" }, false).readAnswer(response(output), context),
    );
    const body = typeof read === "string" ? {} : read.body;
    expect(clients[client].whole(JSON.stringify(body))).toMatchObject(heard);
  });
});

const contentOf = (item: unknown) => (isJsonObject(item) ? (item.arguments ?? item.content) : undefined);

test.each<[string, JsonObject, object[], unknown]>([
  ["a message", message([]), [say("Hel"), say("lo")], [{ text: "Hello" }]],
  ["a call", { ...call, arguments: "" }, [give('{"a":'), give('"1"}')], '{"a":"1"}'],
])("the pieces of %s that its whole item lacks are in its last event and in the response", (...row) => {
  const [, item, pieces, content] = row;
  const sent = [added(item), ...pieces, done(item), over([item])].map((event) => JSON.stringify(event));
  const events = dataOf(relay({ client: "responses", upstream: "responses" }, sent));
  const last = events.find(({ type }) => type === "response.output_item.done");
  const final = events.at(-1)?.response;
  const items = [last?.item, isJsonObject(final) && Array.isArray(final.output) ? final.output[0] : null];
  expect(items.map(contentOf)).toMatchObject([content, content]);
});
