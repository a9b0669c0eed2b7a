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
    { cache_read_input_tokens: 8 },
  ];
  for (const spelling of spellings) {
    expect(convert({ message }, { usage: { ...counts, ...spelling } })?.usage).toMatchObject({
      inputTokens: 12,
      cacheReadTokens: 8,
    });
  }
});

test("Databricks: tokens written to a cache are a part of the prompt", () => {
  const usage = { prompt_tokens: 20, completion_tokens: 5, cache_creation_input_tokens: 8 };
  expect(convert({ message }, { usage })?.usage).toMatchObject({ inputTokens: 12, cacheWriteTokens: 8 });
});

test.each([
  ["no prompt", { completion_tokens: 5 }, { source: "partial", input: 9, output: 5 }],
  [
    "no prompt but a total",
    { completion_tokens: 5, total_tokens: 105 },
    { source: "upstream", input: 100, output: 5 },
  ],
  ["no answer", { prompt_tokens: 50 }, { source: "partial", input: 50, output: 1 }],
  [
    "an answer that is no count",
    { prompt_tokens: 50, completion_tokens: "many", total_tokens: null },
    { source: "partial", input: 50, output: 1 },
  ],
  [
    "no answer but a total",
    { prompt_tokens: 50, total_tokens: 55 },
    { source: "upstream", input: 50, output: 5 },
  ],
])("usage with %s is taken as far as it goes", (_name, usage, { source, input, output }) => {
  expect(convert({ message }, { usage })).toMatchObject({
    source,
    usage: { inputTokens: input, outputTokens: output },
    body: { usage: { prompt_tokens: input, completion_tokens: output } },
  });
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

test("what a vendor leaves out of calls, or writes in its own way, is as documented", () => {
  const call = { id: "c", function: { name: "f" } };
  const sent = {
    id: 7,
    created: 1_700_000_000.25,
    choices: [
      { index: null, logprobs: "no", message: { role: "model", refusal: {}, tool_calls: [call, null] } },
    ],
  };
  const read = readChatAnswer(sent, {
    model: "m",
    inputTokens: 1,
    fallbackId: "chatcmpl-1",
    now: new Date(0),
  });
  expect(read?.answer).toMatchObject({
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1_700_000_000 },
    choices: [
      {
        ...{ index: 0, logprobs: null, finish_reason: "tool_calls" },
        message: {
          role: "assistant",
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "" } }],
        },
      },
    ],
  });
});
