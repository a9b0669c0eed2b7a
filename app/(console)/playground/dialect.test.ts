import { expect, test } from "vitest";
import { dialects, type PlaygroundDialect } from "./dialect";

const settings = { model: "m", system: " ", temperature: null, maxTokens: null };
const history = [{ role: "user" as const, content: "hi" }];

test("an empty setting is not sent", () => {
  expect(dialects.chat.body(settings, history)).toEqual({
    model: "m",
    messages: history,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(dialects.messages.body(settings, history)).toEqual({ model: "m", messages: history, stream: true });
});

test("a system prompt is sent in the place that its dialect has for it", () => {
  const full = { model: "m", system: "be brief", temperature: 0, maxTokens: 5 };
  expect(dialects.chat.body(full, history)).toMatchObject({
    messages: [{ role: "system", content: "be brief" }, ...history],
    temperature: 0,
    max_tokens: 5,
  });
  expect(dialects.messages.body(full, history)).toMatchObject({
    system: "be brief",
    messages: history,
    temperature: 0,
    max_tokens: 5,
  });
});

const read = (name: PlaygroundDialect, event: object) => dialects[name].read(JSON.stringify(event));

test("the text, the reasoning, the end and the counts of a chat chunk are read separately", () => {
  const choice = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  });
  expect(read("chat", choice({ role: "assistant", content: "" }))).toEqual({ text: "" });
  expect(read("chat", choice({ reasoning_content: "hm" }))).toEqual({ reasoning: "hm" });
  expect(read("chat", choice({}, "length"))).toEqual({ finish: "length" });
  const usage = {
    ...{ prompt_tokens: 10, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  expect(read("chat", { choices: [], usage })).toEqual({
    usage: { input: 10, output: 7, cached: 4, reasoning: 3 },
  });
});

test("the same parts of a messages event are read, and its counts come in two halves", () => {
  expect(read("messages", { type: "message_start", message: { usage: { input_tokens: 9 } } })).toEqual({
    usage: { input: 9 },
  });
  const block = (delta: object) => ({ type: "content_block_delta", index: 0, delta });
  expect(read("messages", block({ type: "text_delta", text: "a" }))).toEqual({ text: "a" });
  expect(read("messages", block({ type: "thinking_delta", thinking: "b" }))).toEqual({ reasoning: "b" });
  expect(
    read("messages", {
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { output_tokens: 5 },
    }),
  ).toEqual({ finish: "end_turn", usage: { output: 5 } });
  expect(read("messages", { type: "ping" })).toEqual({});
});

test("the error of a broken stream is shown as the stream sent it", () => {
  const chat = { error: { message: "x", code: 502 }, code: 502, message: "x", data: null };
  expect(read("chat", chat)).toEqual({ failure: JSON.stringify(chat) });
  const messages = { type: "error", error: { message: "x" } };
  expect(read("messages", messages)).toEqual({ failure: JSON.stringify(messages) });
});

test("data that is no event is ignored", () => {
  for (const name of ["chat", "messages"] as const) {
    expect(dialects[name].read("[DONE]")).toBeNull();
    expect(dialects[name].read('"text"')).toBeNull();
  }
});
