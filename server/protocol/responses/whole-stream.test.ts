/** Texts and arguments that a vendor sends only, or to their end, in a later event. */
import { expect, test } from "vitest";
import { clients } from "@/tests/support/dialect-pairs/clients";
import { dataOf } from "@/tests/support/dialect-pairs/model-answer";
import { relay } from "@/tests/support/dialect-pairs/pairs";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";

const dialects = ["chat", "messages", "responses", "gemini"] as const;

const message = (text: string) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
  content: text === "" ? [] : [{ type: "output_text", text, annotations: [] }],
});
const call = (args: unknown, name = "f") => ({
  ...{ id: "fc_1", type: "function_call", call_id: "c", name, arguments: args, status: "completed" },
});
const added = (item: object, output_index: unknown = 0) => ({
  ...{ type: "response.output_item.added", output_index, item },
});
const done = (item: object, output_index: unknown = 0) => ({
  ...{ type: "response.output_item.done", output_index, item },
});
const place = { output_index: 0, content_index: 0, item_id: "msg_1" };
const say = (delta: string, more: object = {}) => ({
  ...{ type: "response.output_text.delta", ...place, delta, ...more },
});
const said = (text: string) => ({ type: "response.output_text.done", ...place, text });
const give = (delta: string, more: object = {}) => ({
  ...{ type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta, ...more },
});
const given = (args: string) => ({
  ...{ type: "response.function_call_arguments.done", output_index: 0, item_id: "fc_1", arguments: args },
});
const usage = { input_tokens: 9, output_tokens: 7, total_tokens: 16 };
const over = (output: unknown) => ({
  type: "response.completed",
  response: { id: "r", object: "response", status: "completed", output, usage },
});

const TEXT = "Hello there";
const ARGS = '{"a":"1"}';
const both = [message(TEXT), call(ARGS)];

const texts: [what: string, events: object[]][] = [
  [
    "half in pieces, the rest in the text's last event",
    [added(message("")), say("Hello"), said(TEXT), over([])],
  ],
  [
    "half in pieces, the rest in the item's last event",
    [added(message("")), say("Hello"), done(message(TEXT)), over([])],
  ],
  [
    "half in pieces, the rest in the final response",
    [added(message("")), say("Hello"), over([message(TEXT)])],
  ],
  [
    "nothing in the item's last event, all in the final response",
    [added(message("")), done(message("")), over([message(TEXT)])],
  ],
  ["all in the first event of its item", [added(message(TEXT)), over([])]],
  ["all in the text's last event, of an item without a first", [said(TEXT), over([])]],
  ["only in the final response", [over([message(TEXT)])]],
  ["as the only item of the final response, without a list", [over(message(TEXT))]],
  ["pieces of an item without any other event", [say("Hello"), say(" there"), over(null)]],
  ["a content that is a text", [done({ ...message(""), content: TEXT }), over([])]],
  [
    "an item that is numbered from 1",
    [added(message(""), 1), say(TEXT, { output_index: 1 }), over([message(TEXT)])],
  ],
  [
    "every event twice",
    [
      added(message("")),
      added(message("")),
      say(TEXT),
      said(TEXT),
      said(TEXT),
      done(message(TEXT)),
      done(message(TEXT)),
      over([message(TEXT)]),
    ],
  ],
];

const calls: [what: string, events: object[]][] = [
  [
    "half in pieces, the rest in the arguments' last event",
    [added(call("")), give('{"a":'), given(ARGS), over([])],
  ],
  [
    "half in pieces, the rest in the item's last event",
    [added(call("")), give('{"a":'), done(call(ARGS)), over([])],
  ],
  ["half in pieces, the rest in the final response", [added(call("")), give('{"a":'), over([call(ARGS)])]],
  [
    "half in pieces and in the item's last event, the rest in the final response",
    [added(call("")), give('{"a":'), done(call('{"a":')), over([call(ARGS)])],
  ],
  ["all in the first event", [added(call(ARGS)), over([])]],
  [
    "an empty object in the first event, then all in pieces",
    [added(call("{}")), give(ARGS), over([call(ARGS)])],
  ],
  ["pieces before the first event", [give(ARGS), added(call("")), done(call(ARGS)), over([])]],
  [
    "the pieces, and all of it as one more piece",
    [added(call("")), give('{"a":'), give('"1"}'), give(ARGS), over([])],
  ],
  ["an object", [added(call({})), done(call({ a: "1" })), over([])]],
  ["a name that only the last event has", [added(call("", "")), give(ARGS), done(call(ARGS)), over([])]],
];

const stringsOf = (events: object[]) => events.map((event) => JSON.stringify(event));

test.each(dialects.flatMap((client) => texts.map(([what, events]) => [client, what, events] as const)))(
  "a client of %s gets the whole text of a stream with %s",
  (client, _, events) => {
    const heard = clients[client].stream(relay({ client, upstream: "responses" }, stringsOf(events)));
    expect(heard).toMatchObject({ text: TEXT, finish: "end", usage: { output: 7 } });
  },
);

test.each(dialects.flatMap((client) => calls.map(([what, events]) => [client, what, events] as const)))(
  "a client of %s gets all arguments of a stream with %s",
  (client, _, events) => {
    const heard = clients[client].stream(relay({ client, upstream: "responses" }, stringsOf(events)));
    expect(heard).toMatchObject({ calls: [{ name: "f", input: { a: "1" } }], finish: "calls" });
  },
);

const contentOf = (item: JsonObject | undefined): JsonObject[] =>
  Array.isArray(item?.content) ? item.content : expect.unreachable();

const finalItems = (events: JsonObject[]): JsonObject[] => {
  const response = events.at(-1)?.response;
  return objects(isJsonObject(response) ? response.output : []);
};

/** The items that an SDK adds up: it appends at an item's or a part's first event, and each piece where its numbers say. */
function addedUp(events: JsonObject[]): JsonObject[] {
  const items: JsonObject[] = [];
  for (const { type, output_index: at, item, part, content_index, delta } of events) {
    const found = items[Number(at)];
    if (type === "response.output_item.added" && isJsonObject(item)) {
      expect(at).toBe(items.length);
      items.push(structuredClone(item));
    } else if (type === "response.content_part.added" && isJsonObject(part)) {
      contentOf(found).push(structuredClone(part));
    } else if (type === "response.output_text.delta") {
      const grown = contentOf(found)[Number(content_index)];
      Object.assign(grown ?? expect.unreachable(), { text: textOf(grown?.text) + textOf(delta) });
    } else if (type === "response.function_call_arguments.delta" && found) {
      found.arguments = textOf(found.arguments) + textOf(delta);
    }
  }
  return items;
}

const saidIn = (item: JsonObject) =>
  textOf(item.arguments) ||
  objects(item.content)
    .map(({ text }) => textOf(text))
    .join("");

test.each<[string, object[]]>([
  ["only the final response", [over(both)]],
  [
    "items without their last events",
    [added(message("")), say(TEXT), added(call(""), 1), give(ARGS, { output_index: 1 }), over(both)],
  ],
  [
    "items without last events, and none in the final response",
    [say(TEXT), added(call(""), 1), give(ARGS, { output_index: 1 }), over([])],
  ],
  [
    "items that all have the number 0",
    [
      added(message("")),
      say(TEXT),
      done(message(TEXT)),
      added(call("")),
      give(ARGS),
      done(call(ARGS)),
      over(both),
    ],
  ],
  [
    "items without numbers",
    [
      { ...added(message("")), output_index: undefined },
      say(TEXT, { output_index: undefined }),
      { ...done(message(TEXT)), output_index: undefined },
      { ...done(call(ARGS)), output_index: undefined },
      over(both),
    ],
  ],
])("a client of the same dialect gets every event that SDKs and agents read, from %s", (_, events) => {
  const client = dataOf(relay({ client: "responses", upstream: "responses" }, stringsOf(events)));
  expect(addedUp(client).map(saidIn)).toEqual([TEXT, ARGS]);
  const ends = client.filter(({ type }) => type === "response.output_item.done");
  expect(ends.map(({ item, output_index: at }) => [at, saidIn(item as JsonObject)])).toEqual([
    [0, TEXT],
    [1, ARGS],
  ]);
  expect(finalItems(client).map(saidIn)).toEqual([TEXT, ARGS]);
  expect(client.map(({ sequence_number: number }) => number)).toEqual(client.map((_event, index) => index));
});

test("a call without arguments has an empty object, in every form of the answer", () => {
  const events = [added(call("")), done(call("")), over([call("")])];
  const client = dataOf(relay({ client: "responses", upstream: "responses" }, stringsOf(events)));
  const last = client.find(({ type }) => type === "response.output_item.done");
  expect([last?.item, ...finalItems(client)]).toMatchObject([{ arguments: "{}" }, { arguments: "{}" }]);
});

test("usage beside the final response, or of the prompt before it, counts", () => {
  const beside = { ...over([message(TEXT)]), usage };
  const bare = { ...beside, response: { ...beside.response, usage: null } };
  const heard = clients.chat.stream(relay({ client: "chat", upstream: "responses" }, stringsOf([bare])));
  expect(heard.usage).toEqual({ input: 9, output: 7 });
  const early = {
    type: "response.in_progress",
    response: { id: "r", usage: { input_tokens: 9, output_tokens: 0 } },
  };
  const last = { ...bare, usage: undefined };
  const late = clients.chat.stream(
    relay({ client: "chat", upstream: "responses" }, stringsOf([early, last])),
  );
  expect(late.usage.input).toBe(9);
});
