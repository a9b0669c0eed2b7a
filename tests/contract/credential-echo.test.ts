import { describe, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { type Answer, sseChunk, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream((_asked, response) => void response.end()));
const secret = "sk-upstream-secret-9876";

const forms = {
  plain: secret,
  "for an address": encodeURIComponent(secret),
  escaped: [...secret].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join(""),
  base64: Buffer.from(`Bearer ${secret}`).toString("base64"),
};

const chunk = (delta: object) =>
  sseChunk({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta }],
  });

/** Its words, with the credential somewhere in them; also where they are cut off for their length. */
const words = (form: string) => [`you sent ${form}`, `${"x".repeat(1_985)} ${form}`];

const chat = (form: string): Answer[] =>
  words(form).map((message) => (_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ role: "assistant", content: "a" }));
    response.end(sseChunk({ error: { message, code: 500 } }));
  });

const messages = (form: string): Answer[] =>
  words(form).map((message) => (_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const start = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
    };
    const usage = { input_tokens: 1, output_tokens: 1 };
    response.write(
      `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message: { ...start, usage } })}\n\n`,
    );
    response.end(
      `event: error\ndata: ${JSON.stringify({ type: "error", error: { type: "api_error", message } })}\n\n`,
    );
  });

const dialects = { openai: chat, anthropic: messages } as const;

describe("an upstream's words after the first event reach the client without the credential in them", () => {
  for (const [dialect, answers] of Object.entries(dialects)) {
    for (const endpoint of ["chat/completions", "messages"]) {
      test.each(Object.entries(forms))(`${dialect} to ${endpoint}: %s`, async (_name, form) => {
        const model = await gateway.model();
        const { secret: key } = await gateway.customer();
        const { baseUrl } = upstream;
        await gateway.channel({
          model,
          dialect: dialect as keyof typeof dialects,
          baseUrl,
          secrets: [secret],
        });
        for (const answer of answers(form)) {
          upstream.answer(answer);
          const response = await gateway.post(key, `${endpoint}`, {
            model,
            stream: true,
            max_tokens: 99,
            messages: [{ role: "user", content: "hi" }],
          });
          const text = await response.text();
          expect(response.status).toBe(200);
          expect(text).toContain("error");
          expect(text).not.toContain(form.slice(0, 12));
          expect(text).not.toContain(secret.slice(0, 12));
        }
      });
    }
  }
});
