/** Custom tools of chat clients, whose input is free text, over upstreams that have only functions. */

import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { dataOf, type ModelAnswer } from "@/tests/support/dialect-pairs/model-answer";
import { dialectPairs, eventsOf, planOf, relay } from "@/tests/support/dialect-pairs/pairs";
import { upstreams } from "@/tests/support/dialect-pairs/upstreams";
import { callOf, upstreamRequestOf } from "@/tests/support/upstream-request";
import { isJsonObject, objects } from "../fields";

const grammar = { type: "grammar", grammar: { syntax: "lark", definition: "start: /a+/" } };
const custom = { type: "custom", custom: { name: "patch", description: "Edits.", format: grammar } };
const hi = { role: "user", content: "hi" };

test("a custom tool is sent as a function with one text and its grammar in the description, and its calls are sent as that function's", () => {
  const call = { id: "c1", type: "custom", custom: { name: "patch", input: "*** Begin" } };
  const messages = [
    hi,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "done" },
  ];
  const tool_choice = { type: "custom", custom: { name: "patch" } };
  expect(
    upstreamRequestOf(callOf.chat({ messages, tools: [custom], tool_choice }), "messages"),
  ).toMatchObject({
    messages: [
      {},
      { content: [{ type: "tool_use", id: "c1", name: "patch", input: { input: "*** Begin" } }] },
      { content: [{ type: "tool_result", tool_use_id: "c1" }] },
    ],
    tools: [
      {
        name: "patch",
        description: "Edits.\n\nThe input has to fit this lark grammar:\nstart: /a+/",
        input_schema: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
      },
    ],
    tool_choice: { type: "tool", name: "patch" },
  });
});

const answer: ModelAnswer = {
  ...{ thinking: [], text: ["So."], isCut: false },
  calls: [
    { name: "f", pieces: ['{"a":"1"}'] },
    { name: "patch", pieces: ['{"input":"*** Be', 'gin\\n"}'] },
  ],
  usage: { input: 9, cached: 0, output: 7, reasoning: 0 },
};
const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(5_000) };
const functionTool = { type: "function", function: { name: "f" } };
const more = { messages: [hi], tools: [functionTool, custom] };

test.each(dialectPairs.filter(({ client, upstream }) => client === "chat" && upstream !== "chat"))(
  "a client gets a call of a custom tool in the custom form, whole and streamed: from $upstream",
  (way) => {
    const read = atOnce(planOf(way, false, more).readAnswer(upstreams[way.upstream].whole(answer), context));
    const [choice] = typeof read === "string" ? [] : objects(read.body.choices);
    expect(choice).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        tool_calls: [
          { type: "function", function: { name: "f", arguments: '{"a":"1"}' } },
          { type: "custom", custom: { name: "patch", input: "*** Begin\n" } },
        ],
      },
    });
    const deltas = dataOf(relay(way, eventsOf(way, answer), more))
      .flatMap((chunk) => objects(chunk.choices))
      .flatMap(({ delta }) => (isJsonObject(delta) ? objects(delta.tool_calls) : []))
      .filter(({ index }) => index === 1);
    expect(deltas[0]).toEqual({
      index: 1,
      id: expect.any(String),
      type: "custom",
      custom: { name: "patch", input: "" },
    });
    // Google sends a call whole.
    const pieces = way.upstream === "gemini" ? ["*** Begin\n"] : ["*** Be", "gin\n"];
    expect(deltas.slice(1)).toEqual(pieces.map((piece) => ({ index: 1, custom: { input: piece } })));
  },
);
