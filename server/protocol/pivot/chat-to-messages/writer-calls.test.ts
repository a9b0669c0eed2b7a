import { expect, test } from "vitest";
import { messageAsCompletion } from "@/tests/support/crossed";
import {
  begin,
  callOf,
  counted,
  delta,
  deltas,
  ended,
  finish,
  json,
  stop,
  use,
} from "@/tests/support/messages-as-chat";
import { mapToolNames } from "../../tool-names";

test("new-api#5229: the first call after a text is call 0", () => {
  const events = [
    begin(0, { type: "text", text: "on it" }),
    stop(0),
    begin(1, use("a")),
    json(1, "{}"),
    stop(1),
  ];
  expect(deltas(events)).toEqual([
    { content: "on it" },
    { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }] },
    { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
  ]);
});

test("new-api#5095, Portkey#1275: several calls keep their own place, id, name and arguments", () => {
  const said = deltas([
    begin(0, use("a", "f")),
    json(0, ""),
    json(0, '{"x"'),
    json(0, ":1}"),
    stop(0),
    begin(1, use("b", "g")),
    json(1, '{"y":2}'),
    stop(1),
  ]);
  expect(said.flatMap((each) => each.tool_calls)).toEqual([
    { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } },
    { index: 0, function: { arguments: '{"x"' } },
    { index: 0, function: { arguments: ":1}" } },
    { index: 1, id: "b", type: "function", function: { name: "g", arguments: "" } },
    { index: 1, function: { arguments: '{"y":2}' } },
  ]);
});

test.each([
  ["all its arguments at once", { x: 1 }, '{"x":1}'],
  ["none at all", {}, "{}"],
])("a call that begins with %s has them as text, though its end never comes", (_name, input, text) => {
  for (const end of [[stop(0)], []]) {
    expect(deltas([begin(0, use("a", "f", input)), ...end]).at(-1)).toEqual({
      tool_calls: [{ index: 0, function: { arguments: text } }],
    });
  }
});

test("what a vendor's own tools do is not the client's to see", () => {
  const server = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const results = { type: "web_search_tool_result", tool_use_id: "s", content: [] };
  const events = [
    begin(0, server),
    json(0, '{"query":1}'),
    stop(0),
    begin(1, results),
    stop(1),
    finish("tool_use"),
  ];
  expect(deltas(events)).toEqual([]);
  expect(ended(events)).toBe("stop");
});

test("a call without a name is a call, not the answer's text", () => {
  const nameless = { type: "tool_use", id: "a", name: null, input: {} };
  const [head] = deltas([begin(0, nameless), json(0, "{}"), stop(0)], { names: mapToolNames(["f"], 128) });
  expect(head).toMatchObject({ tool_calls: [{ function: { name: "f" } }] });
  const whole = messageAsCompletion({ content: [nameless] }, counted, callOf());
  expect(JSON.parse(whole ?? "")).toMatchObject({
    choices: [{ message: { content: null, tool_calls: [{ id: "a" }] }, finish_reason: "tool_calls" }],
  });
});

test("litellm#12463: the tool that stands for the answer streams as text and ends with stop", () => {
  const events = [begin(0, use("a", "out")), json(0, '{"x"'), json(0, ":1}"), stop(0), finish("tool_use")];
  expect(deltas(events, { schemaTool: "out" })).toEqual([{ content: '{"x"' }, { content: ":1}" }]);
  expect(ended(events, { schemaTool: "out" })).toBe("stop");
});

test("a streamed schema answer is its JSON alone, and the model's words where it calls no tool", () => {
  const say = (index: number, text: string) => [
    begin(index, { type: "text", text: "" }),
    delta(index, { type: "text_delta", text }),
    stop(index),
  ];
  const answered = [
    begin(1, use("a", "out")),
    json(1, '{"x":1}'),
    stop(1),
    begin(2, use("b", "out")),
    json(2, "{}"),
  ];
  const events = [...say(0, "Here it is: "), ...answered, ...say(3, "Bye."), finish("tool_use")];
  expect(deltas(events, { schemaTool: "out" })).toEqual([{ content: '{"x":1}' }]);
  const words = [...say(0, '{"x"'), ...say(1, ":1}"), finish("end_turn")];
  expect(deltas(words, { schemaTool: "out" })).toEqual([{ content: '{"x":1}' }]);
});

test("a client of before tools sees one function call", () => {
  const more = { usesLegacyFunctions: true };
  const events = [
    begin(0, use("a", "f")),
    json(0, '{"x":1}'),
    stop(0),
    begin(1, use("b", "g")),
    stop(1),
    finish("tool_use"),
  ];
  expect(deltas(events, more)).toEqual([
    { function_call: { name: "f", arguments: "" } },
    { function_call: { arguments: '{"x":1}' } },
  ]);
  expect(ended(events, more)).toBe("function_call");
});
