import { expect, test } from "vitest";
import { readChatAnswer } from "./answer";

const convert = (choice: object, more: object = {}) => {
  const call = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) };
  const read = readChatAnswer({ id: "c", choices: [choice], ...more }, call);
  return read && { ...read, body: read.answer };
};
const message = { role: "assistant", content: "a" };

test.each([
  ["nothing", {}, "stop"],
  ["tool calls", { tool_calls: [{ id: "x", function: { name: "f", arguments: "{}" } }] }, "tool_calls"],
  ["a function call", { function_call: { name: "f", arguments: "{}" } }, "function_call"],
  ["an empty function call", { function_call: { name: "", arguments: "" } }, "stop"],
])("an answer with %s and without a finish reason is given one", (_name, more, reason) => {
  expect(convert({ index: 0, message: { ...message, ...more }, finish_reason: "" })?.body).toMatchObject({
    choices: [{ finish_reason: reason }],
  });
});

test("the finish reason may stand in finish_details", () => {
  expect(convert({ message, finish_details: { type: "max_tokens" } })?.body).toMatchObject({
    choices: [{ index: 0, finish_reason: "length" }],
  });
});

test("an answer that a filter took the message out of is an empty one", () => {
  expect(convert({ index: 0, finish_reason: "content_filter" })?.body).toMatchObject({
    choices: [{ message: { role: "assistant", content: "" }, finish_reason: "content_filter" }],
  });
});

test("a choice with neither message nor finish reason is no answer", () => {
  expect(convert({ index: 0 })).toBeNull();
});

test("identity fields that a vendor leaves empty are filled", () => {
  expect(convert({ message }, { id: "", created: 0 })?.body).toMatchObject({ id: "chatcmpl_1", created: 5 });
});

test("cached tokens are found under every vendor's name", () => {
  const counts = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  const spellings = [
    { prompt_tokens_details: { cached_tokens: 8 } },
    { prompt_cache_hit_tokens: 8 },
    { cached_tokens: 8 },
  ];
  for (const spelling of spellings) {
    expect(convert({ message }, { usage: { ...counts, ...spelling } })?.usage).toMatchObject({
      inputTokens: 12,
      cacheReadTokens: 8,
    });
  }
});

test("calls without an id are given one each, for their results to name", () => {
  const calls = [{ function: { name: "f", arguments: "{}" } }, { id: "", function: { name: "f" } }];
  const read = convert({ message: { ...message, tool_calls: calls } });
  expect(read?.body).toMatchObject({
    choices: [
      {
        message: {
          tool_calls: [{ id: expect.stringMatching(/^call_/) }, { id: expect.stringMatching(/^call_/) }],
        },
      },
    ],
  });
});
