/** Streams whose long last events are read in turns, while their client or another upstream hangs up. */
import { expect, test } from "vitest";
import { perFile, served } from "@/tests/support/per-file";
import { sleep } from "@/tests/support/until";
import {
  answerEvents,
  answerWith,
  beginEvents,
  chatDelta,
  chatUsage,
  sseChunk,
  usage,
} from "@/tests/support/upstream";

const terms = { maxOutputTokens: 10_000_000 };
const { gateway, upstream, model } = served(answerWith("x"), terms);
const { model: singleModel, upstream: singleUpstream } = served(answerWith("x"), terms, {
  capabilities: { severalAnswers: false },
});
const customer = perFile(() => gateway.customer({ quota: "1000000" }));

const words = 'w 😀 é"\\\n'.repeat(600_000);
const calls = (index: number, name: string, text: string) =>
  chatDelta({
    tool_calls: [{ index, id: `c${index}`, type: "function", function: { name, arguments: text } }],
  });
const last = (reason: string) => `${chatDelta({}, reason)}${chatUsage(usage(10, 5))}data: [DONE]\n\n`;

const chat = { model: "", stream: true, max_tokens: 9_000_000, messages: [{ role: "user", content: "hi" }] };
const gemini = {
  contents: [{ role: "user", parts: [{ text: "hi" }] }],
  tools: [{ functionDeclarations: [{ name: "f" }, { name: "g" }] }],
  generationConfig: { maxOutputTokens: 9_000_000 },
};

/**
 * The text that the client has read when it hangs up: a part of the long event, or all before the last events of a
 * response.
 */
const hasPart = (text: string) => text.length > 100_000;
const hasText = (text: string) => text.includes("output_text.done");

test.each([
  ["v1/chat/completions", "text", chat, hasPart],
  ["v1beta/models/MODEL:streamGenerateContent?alt=sse", "call", gemini, hasPart],
  ["v1beta/models/MODEL:streamGenerateContent", "call", gemini, hasPart],
  ["v1/responses", "text", { model: "", stream: true, input: "hi", max_output_tokens: 9_000_000 }, hasText],
])("a repeat of a call to /%s has all of a long %s, also if the first client hung up", async (...row) => {
  const [path, kind, body, isEnough] = row;
  // The last events of a response have its text three times more.
  const longText = path === "v1/responses" ? words.slice(0, 1_000_000) : words;
  const texts = ["so", longText, "end"].map((content) => chatDelta({ content }));
  const events =
    kind === "text"
      ? [...texts, last("stop")]
      : [calls(0, "f", JSON.stringify({ a: words })), calls(1, "g", `{"b":1.50}`), last("tool_calls")];
  upstream.answer(answerEvents(...events));
  const call = (key: string, signal?: AbortSignal) =>
    fetch(`${gateway.url}/${path.replace("MODEL", model)}`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${customer.secret}`, "x-goog-api-key": customer.secret },
        ...{ "content-type": "application/json", "idempotency-key": `${path}-${key}` },
      },
      body: JSON.stringify({ ...body, ...("model" in body && { model }) }),
      ...(signal && { signal }),
    });
  const before = upstream.requests.length;
  const whole = await (await call("whole")).text();
  const client = new AbortController();
  const reader = (await call("cut", client.signal)).body?.getReader();
  let read = "";
  while (!isEnough(read)) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    expect(done).toBe(false);
    read += Buffer.from(value ?? []).toString("latin1");
  }
  // The rest of the answer waits for its client by now, or soon: a hang-up at any moment must lose nothing.
  await sleep(300);
  client.abort();
  const withoutIds = (answer: string) =>
    answer.replaceAll(/"(?:id|item_id|responseId|created|created_at|completed_at)":\s*(?:"[^"]*"|\d+)/g, "");
  for (const key of ["whole", "cut"]) {
    const repeat = await call(key);
    const text = await repeat.text();
    expect(repeat.headers.get("idempotent-replayed")).toBe("true");
    // Not the texts themselves: to show how they differ takes minutes.
    expect(withoutIds(text) === withoutIds(whole), text.slice(-200)).toBe(true);
  }
  expect(upstream.requests.length - before).toBe(2);
});

test.each([25, 100, 200, 300])(
  "an answer that breaks while another one's last event is read is reported (%i ms)",
  async (delayMs) => {
    const numbers = Array.from({ length: 1_500_000 }, () => 1);
    const long =
      chatDelta({ content: "so" }) +
      sseChunk({ id: "c", choices: [{ index: 0, delta: { content: "x" } }], numbers });
    let asked = 0;
    singleUpstream.answer((_call, response) => {
      const place = asked++;
      beginEvents(response, chatDelta({ content: `p${place}` }));
      if (place === 0) {
        setTimeout(() => response.end(long + last("stop")), 100);
      } else {
        setTimeout(() => response.destroy(), 100 + delayMs);
      }
    });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${customer.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ ...chat, model: singleModel, n: 2 }),
    });
    const text = await response.text();
    const reasons = [...text.matchAll(/"finish_reason":"(\w+)"/g)].map(([, reason]) => reason);
    expect(reasons.sort()).toEqual(["error", "stop"]);
  },
);
