import { expect, test } from "vitest";
import { judgeAnswer } from "./test-answer";

const body = JSON.stringify({ model: "m", input: "ping" });
const judge = (operation: "chat" | "messages" | "embeddings", answer: unknown) =>
  judgeAnswer({ operation, body, text: typeof answer === "string" ? answer : JSON.stringify(answer) });

const chat = { choices: [{ index: 0, message: { content: "pong" }, finish_reason: "stop" }] };

test("usage is what the answer says, cached tokens included", () => {
  const usage = { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
  expect(judge("chat", { ...chat, usage })).toEqual({
    ok: true,
    message: "ok",
    usage: { inputTokens: 9, outputTokens: 2 },
  });
  const messages = {
    content: [{ type: "text", text: "pong" }],
    usage: { input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 2 },
  };
  expect(judge("messages", messages).usage).toEqual({ inputTokens: 8, outputTokens: 2 });
  const vectors = { data: [{ index: 0, embedding: [0.5] }], usage: { prompt_tokens: 1 } };
  expect(judge("embeddings", vectors).usage).toEqual({ inputTokens: 1, outputTokens: 0 });
});

test("an upstream that does not count is well, without usage of our own making", () => {
  expect(judge("chat", chat)).toEqual({ ok: true, message: "ok", usage: null });
});

test.each([
  ["a web page", "<html>Welcome</html>", "<html>Welcome"],
  ["another dialect", { content: [] }, "not an answer of its dialect"],
  ["an error", { error: { message: "no such model" } }, "no such model"],
] as const)("%s with status 200 is no answer, and what it said is told", (_name, answer, words) => {
  const { ok, message, usage } = judge("chat", answer);
  expect({ ok, usage }).toEqual({ ok: false, usage: null });
  expect(message).toContain(words);
});
