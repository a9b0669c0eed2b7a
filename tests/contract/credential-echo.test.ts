import { describe, expect, test } from "vitest";
import { messagesEvent, textEvents } from "@/tests/support/messages-answer";
import { staged } from "@/tests/support/per-file";
import { answerEvents, chatDelta, sseChunk } from "@/tests/support/upstream";

const { gateway, upstream } = staged(answerEvents());
const secret = "sk-upstream-secret-9876";

const forms = {
  plain: secret,
  "for an address": encodeURIComponent(secret),
  escaped: [...secret].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join(""),
  base64: Buffer.from(`Bearer ${secret}`).toString("base64"),
};

/** Messages with the credential inside, also at the place where the gateway cuts long messages. */
const words = (form: string) => [`you sent ${form}`, `${"x".repeat(1_985)} ${form}`];

const begun = chatDelta({ role: "assistant", content: "a" });
const chat = (message: string) => answerEvents(begun, sseChunk({ error: { message, code: 500 } }));

const [start = ""] = textEvents("", { input_tokens: 1 });
const messages = (message: string) =>
  answerEvents(start, messagesEvent({ type: "error", error: { type: "api_error", message } }));

const dialects = [
  ["openai", chat],
  ["anthropic", messages],
] as const;

describe("an upstream's message after the first event reaches the client without the credential", () => {
  for (const [dialect, answering] of dialects) {
    for (const endpoint of ["chat/completions", "messages"]) {
      test.each(Object.entries(forms))(`${dialect} to ${endpoint}: %s`, async (_name, form) => {
        const model = await gateway.model();
        const { secret: key } = await gateway.customer();
        const { baseUrl } = upstream;
        await gateway.channel({ model, dialect, baseUrl, secrets: [secret] });
        const body = { model, stream: true, max_tokens: 99, messages: [{ role: "user", content: "hi" }] };
        for (const echo of words(form)) {
          upstream.answer(answering(echo));
          const response = await gateway.post(key, endpoint, body);
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
