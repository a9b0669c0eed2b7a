import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { readChatAnswer } from "./answer";

const convert = (choice: object, more: object = {}) => {
  const call = { model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) };
  const read = atOnce(readChatAnswer({ id: "c", choices: [choice], ...more }, call));
  return read && { ...read, body: read.answer };
};
const message = { role: "assistant", content: "a" };

const legacyCall = { name: "f", arguments: "{}" };
const legacyAnswer = (function_call: object) => ({
  message: { ...message, function_call },
  finish_reason: "",
});
const cut = { type: "max_tokens" };

test.each<[string, object, object]>([
  ["nothing", { message, finish_reason: "" }, { finish_reason: "stop" }],
  [
    "tool calls",
    { message: { ...message, tool_calls: [{ id: "x", function: legacyCall }] }, finish_reason: "" },
    { finish_reason: "tool_calls" },
  ],
  ["a function call", legacyAnswer(legacyCall), { finish_reason: "function_call" }],
  ["an empty function call", legacyAnswer({ name: "", arguments: "" }), { finish_reason: "stop" }],
  ["an end for calls that it has not", { message, finish_reason: "tool_calls" }, { finish_reason: "stop" }],
  [
    "a plain end and calls",
    { message: { ...message, tool_calls: [{ id: "x", function: legacyCall }] }, finish_reason: "stop" },
    { finish_reason: "tool_calls" },
  ],
  ["a finish reason in finish_details", { message, finish_details: cut }, { finish_reason: "length" }],
  [
    "no message because a filter removed it",
    { finish_reason: "content_filter" },
    { message: { role: "assistant", content: "" }, finish_reason: "content_filter" },
  ],
])("the choice of an answer with %s is completed", (_name, choice, read) => {
  expect(convert({ index: 0, ...choice })?.body).toMatchObject({ choices: [{ index: 0, ...read }] });
});

test("a list of choices with null in it is the list without it", () => {
  const read = convert({ message }, { choices: [null, { index: 0, message }, null] });
  expect(read?.body).toMatchObject({ choices: [{ index: 0, message }] });
});

test("a choice with neither message nor finish reason is no answer", () => {
  expect(convert({ index: 0 })).toBeNull();
});

test("identity fields that a vendor leaves empty are filled", () => {
  expect(convert({ message }, { id: "", created: 0 })?.body).toMatchObject({ id: "chatcmpl_1", created: 5 });
});

test.each([
  [{ prompt_tokens_details: { cached_tokens: 8 } }, { inputTokens: 12, cacheReadTokens: 8 }],
  [{ prompt_cache_hit_tokens: 8 }, { inputTokens: 12, cacheReadTokens: 8 }],
  [{ cached_tokens: 8 }, { inputTokens: 12, cacheReadTokens: 8 }],
  [{ cache_read_input_tokens: 8 }, { inputTokens: 12, cacheReadTokens: 8 }],
  // Databricks
  [{ cache_creation_input_tokens: 8 }, { inputTokens: 12, cacheWriteTokens: 8 }],
])("a count that a vendor writes as %j is a part of the prompt", (spelling, counts) => {
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25, ...spelling };
  expect(convert({ message }, { usage })?.usage).toMatchObject(counts);
});

const none = { completion_tokens: "many", total_tokens: null };
test.each<[string, object, [source: string, input: number, output: number]]>([
  ["no prompt", { completion_tokens: 5 }, ["partial", 9, 5]],
  ["no prompt but a total", { completion_tokens: 5, total_tokens: 105 }, ["upstream", 100, 5]],
  ["no answer", { prompt_tokens: 50 }, ["partial", 50, 1]],
  ["an answer that is no count", { prompt_tokens: 50, ...none }, ["partial", 50, 1]],
  ["no answer but a total", { prompt_tokens: 50, total_tokens: 55 }, ["upstream", 50, 5]],
])(
  "the readable counts of usage with %s are used, and the others are estimated",
  (_name, usage, [source, input, output]) => {
    expect(convert({ message }, { usage })).toMatchObject({
      source,
      usage: { inputTokens: input, outputTokens: output },
      body: { usage: { prompt_tokens: input, completion_tokens: output } },
    });
  },
);

test("each call without an id gets its own, so that its result can name it", () => {
  const calls = [{ function: legacyCall }, { id: "", function: { name: "f" } }];
  const callWithId = { id: expect.stringMatching(/^call_/) };
  expect(convert({ message: { ...message, tool_calls: calls } })?.body).toMatchObject({
    choices: [{ message: { tool_calls: [callWithId, callWithId] } }],
  });
});

test("members that a vendor leaves out of calls, or writes in its own way, become as documented", () => {
  const call = { id: "c", function: { name: "f" } };
  const vendorAnswer = {
    id: 7,
    created: 1_700_000_000.25,
    choices: [
      { index: null, logprobs: "no", message: { role: "model", refusal: {}, tool_calls: [call, null] } },
    ],
  };
  const context = { model: "m", inputTokens: 1, fallbackId: "chatcmpl-1", now: new Date(0) };
  const read = atOnce(readChatAnswer(vendorAnswer, context));
  expect(read?.answer).toMatchObject({
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1_700_000_000 },
    choices: [
      {
        ...{ index: 0, logprobs: null, finish_reason: "tool_calls" },
        message: {
          role: "assistant",
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
        },
      },
    ],
  });
});

test.each([
  { message: {}, delta: { content: "a" } },
  { message: { role: "assistant", content: null }, text: "a" },
  { message: "a" },
  { content: "a" },
])("the content of the choice %j is found", (choice) => {
  const read = { index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" };
  expect(convert(choice)?.body).toMatchObject({ choices: [read] });
});

test.each([
  [{ name: "f", arguments: { q: 1 } }, '{"q":1}'],
  [{ function: { name: "f", arguments: "null" } }, "{}"],
  [{ function: { name: "f", arguments: " " } }, "{}"],
])("the call %j has a name and the text of an object", (call, text) => {
  const read = convert({ message: { tool_calls: [{ id: "x", ...call }] } })?.body;
  expect(read).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { name: "f", arguments: text } }] } }],
  });
});
