import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { usualCapabilities } from "@/server/protocol/capabilities";
import { parseChatConversation } from "@/server/protocol/chat/conversation";
import { parseMessagesConversation } from "@/server/protocol/messages/conversation";
import { terms } from "@/tests/support/terms";
import { judgeEmbeddings, judgeStream } from "./test-answer";

const vectorsBody = JSON.stringify({ model: "m", input: "ping" });
const context = { model: "m", inputTokens: 1, fallbackId: "test", now: new Date(0) };

function judge(dialect: "chat" | "messages", text: string) {
  const raw = JSON.stringify({ model: "m", messages: [{ role: "user", content: "ping" }], max_tokens: 9 });
  const conversation =
    dialect === "chat" ? parseChatConversation(raw) : parseMessagesConversation(raw, { headers: {} });
  const upstream = { dialect, name: "m", capabilities: usualCapabilities[dialect] };
  const plan = atOnce(conversation.planFor(upstream, terms(9)));
  return judgeStream(plan.openStream(context), text);
}

const events = (...values: object[]) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");
const chat = { choices: [{ index: 0, delta: { content: "pong" }, finish_reason: "stop" }] };

test("usage has the counts of the answer, with cached tokens", async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
  expect(await judge("chat", events(chat, { choices: [], usage }))).toEqual({
    ok: true,
    message: "ok",
    usage: { inputTokens: 9, outputTokens: 2 },
  });
  const messages = events(
    { type: "message_start", message: { usage: { input_tokens: 3, cache_read_input_tokens: 5 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "pong" } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  );
  expect((await judge("messages", messages)).usage).toEqual({ inputTokens: 8, outputTokens: 2 });
  const vectors = JSON.stringify({ data: [{ index: 0, embedding: [0.5] }], usage: { prompt_tokens: 1 } });
  expect(judgeEmbeddings({ body: vectorsBody, text: vectors }).usage).toEqual({
    inputTokens: 1,
    outputTokens: 0,
  });
});

test("vectors in an envelope pass the test, as calls for them do, and a failure in one fails it", () => {
  const vectors = { object: "list", data: [{ index: 0, embedding: [0.5] }], usage: { prompt_tokens: 1 } };
  const judged = (answer: object) => judgeEmbeddings({ body: vectorsBody, text: JSON.stringify(answer) });
  expect(judged({ success: true, data: vectors })).toMatchObject({ ok: true, usage: { inputTokens: 1 } });
  expect(judged({ data: { error: { message: "no" } } })).toMatchObject({ ok: false, message: "no" });
});

test("an upstream that does not count its streams passes the test, and the gateway adds no estimate", async () => {
  expect(await judge("chat", events(chat))).toEqual({ ok: true, message: "ok", usage: null });
});

const head = { choices: [{ index: 0, delta: { content: "po" }, finish_reason: null }] };
const whole = { id: "c", choices: [{ message: { content: "pong" }, finish_reason: "stop" }] };

test.each([
  ["a web page", "<html>Welcome</html>", "<html>Welcome"],
  ["a whole answer", JSON.stringify(whole), "not a stream of its dialect"],
  ["a stream that breaks off", events(head), "without a finish reason"],
  ["a stream that ends with an error", events(head, { error: { message: "no memory" } }), "no memory"],
  ["another dialect", events({ type: "message_start" }, { choices: 1 }), "not a stream of its dialect"],
  ["an error", JSON.stringify({ error: { message: "no such model" } }), "no such model"],
] as const)(
  "%s with status 200 fails the test, and the test reports the upstream's text",
  async (_name, text, words) => {
    const { ok, message, usage } = await judge("chat", text);
    expect({ ok, usage }).toEqual({ ok: false, usage: null });
    expect(message).toContain(words);
  },
);

test("a web page with status 200 has no embeddings", () => {
  const { ok, message } = judgeEmbeddings({ body: vectorsBody, text: "<html>Welcome</html>" });
  expect({ ok, message }).toEqual({
    ok: false,
    message: "not an answer of its dialect: <html>Welcome</html>",
  });
});
