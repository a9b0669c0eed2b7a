/** Calls and ends of streams that vendors send in pieces of unusual forms. */
import { expect, test } from "vitest";
import { joinStream } from "../answers/client-answer";
import { type JsonObject, objects, textOf } from "../fields";
import { ChatReader } from "./reader";
import { ChatWriter } from "./writer";

const stream = () =>
  joinStream(
    new ChatReader({ model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) }),
    new ChatWriter({ wantsUsage: false }),
  );

const chunk = (choice: object, more: object = {}) =>
  JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }], ...more });

function forward(answer: ReturnType<typeof stream>, data: string): Record<string, unknown> {
  const step = answer.push(data);
  expect(step.kind).toBe("frames");
  const text = step.kind === "frames" ? step.text : "";
  return text === "" ? {} : JSON.parse(text.slice("data: ".length));
}

/** The calls that a client adds up from a stream. */
const addedUp = (deltas: object[]) => {
  const answer = stream();
  const calls: { name: string; text: string }[] = [];
  const chunks = [...deltas.map((delta) => chunk({ delta })), chunk({ delta: {}, finish_reason: "stop" })];
  for (const body of chunks.map((data) => forward(answer, data))) {
    const [choice] = objects(body.choices);
    for (const call of objects((choice?.delta as JsonObject | undefined)?.tool_calls)) {
      const place = Number(call.index);
      calls[place] ??= { name: "", text: "" };
      calls[place].name += textOf((call.function as JsonObject).name);
      calls[place].text += textOf((call.function as JsonObject).arguments);
    }
  }
  return calls.map(({ name, text }) => [name, text]);
};
const piece = (text: string, more: object = {}) => ({
  tool_calls: [{ index: 0, function: { arguments: text }, ...more }],
});
const begun = (text: string) => piece(text, { id: "a", function: { name: "f", arguments: text } });
const nameless = (text: string) => piece(text, { function: { name: "f", arguments: text } });

test.each([
  ["an empty object before the arguments", [begun("{}"), piece('{"q":1}')], ['{"q":1}']],
  ["nothing but an empty object", [begun("{}")], ["{}"]],
  ["a whole empty object after the name", [begun(""), piece("{}")], ["{}"]],
  [
    "the whole object once more, with other escapes and order",
    [nameless('{"q":"é","r":1}'), nameless('{"r":1,"q":"\\u00e9"}')],
    ['{"q":"é","r":1}'],
  ],
  [
    "two calls without ids that differ in two letters",
    [nameless('{"q":"Aa"}'), nameless('{"q":"BB"}')],
    ['{"q":"Aa"}', '{"q":"BB"}'],
  ],
  ["nothing but null", [begun("null")], ["{}"]],
  ["the whole object once more, printed otherwise", [begun('{"q":1}'), begun('{ "q": 1 }')], ['{"q":1}']],
  ["two calls without ids", [nameless('{"q":1}'), nameless('{"q":2}')], ['{"q":1}', '{"q":2}']],
  [
    "numbers as text",
    [
      piece("{", { index: "0", id: "a", function: { name: "f", arguments: "{" } }),
      piece("}", { index: "0" }),
    ],
    ["{}"],
  ],
])("a client adds up the arguments of a stream with %s", (_name, deltas, texts) => {
  expect(addedUp(deltas)).toEqual(texts.map((text) => ["f", text]));
});

const deltasOf = (...choices: object[]) => {
  const answer = stream();
  return choices.map((choice) => objects(forward(answer, chunk(choice)).choices)[0] ?? {});
};
const textsOf = (choice: JsonObject) =>
  objects((choice.delta as JsonObject).tool_calls).map((call) => (call.function as JsonObject).arguments);

test.each(["length", "a_new_word"])(
  "an empty object reaches the client of an answer that ends with %s",
  (end) => {
    const [first = {}, last = {}] = deltasOf({ delta: begun("{}") }, { delta: {}, finish_reason: end });
    expect([textsOf(first), textsOf(last)]).toEqual([[""], ["{}"]]);
  },
);

test("an empty object in the chunk of the end, or after the name, is not delayed", () => {
  const [only = {}] = deltasOf({ delta: begun("{}"), finish_reason: "tool_calls" });
  expect(textsOf(only)).toEqual(["{}"]);
  const [, second = {}] = deltasOf({ delta: begun("") }, { delta: piece("{}") });
  expect(textsOf(second)).toEqual(["{}"]);
});

test("a stream with an end in every chunk ends with its calls", () => {
  const ends = deltasOf(
    { delta: { content: "a" }, finish_reason: "stop" },
    { delta: begun('{"q":1}'), finish_reason: "stop" },
    { delta: {}, finish_reason: "stop" },
  ).map(({ finish_reason }) => finish_reason);
  expect(ends).toEqual(["stop", "tool_calls", "tool_calls"]);
});

test.each([
  ["in two pieces", ["get_", "weather"]],
  ["again in every chunk", ["get_weather", "get_weather"]],
  ["as all of it so far", ["get_", "get_weather"]],
])("a client adds up the name of a function call that comes %s", (_name, names) => {
  const choices = deltasOf(...names.map((name) => ({ delta: { function_call: { name, arguments: "" } } })));
  const read = choices.map(({ delta }) => (delta as { function_call: JsonObject }).function_call.name);
  expect(read.map(textOf).join("")).toBe("get_weather");
});

test("a plain end after another one only ends the stream, and an empty error does not reach the client", () => {
  const answer = stream();
  const ends = ["length", "stop"].map((finish_reason) =>
    forward(answer, chunk({ delta: { content: "a" }, finish_reason }, { error: {} })),
  );
  expect(ends.map((body) => objects(body.choices)[0]?.finish_reason)).toEqual(["length", "length"]);
  expect(ends.some((body) => "error" in body)).toBe(false);
});
