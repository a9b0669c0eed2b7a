import { GoogleGenAI } from "@google/genai";
import { beforeAll, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { type Answer, sendJson, startUpstream } from "@/tests/support/upstream";

const part = (text: string, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  responseId: "r1",
  modelVersion: "gemini-x-001",
});
const usageMetadata = {
  promptTokenCount: 10,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
  totalTokenCount: 17,
};

/** As Google answers: events with CRLF, no names and no last word. */
const answerGemini: Answer = (asked, response) => {
  if (!asked.path.includes(":stream")) {
    sendJson(response, 200, { ...part("Hello there", { finishReason: "STOP" }), usageMetadata });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const last = { ...part("there", { finishReason: "STOP" }), usageMetadata };
  for (const piece of [part("Hello "), last]) {
    response.write(`data: ${JSON.stringify(piece)}\r\n\r\n`);
  }
  response.end();
};

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerGemini));
const customer = perFile(() => gateway.customer());
let model = "";

beforeAll(async () => {
  model = await gateway.model();
  const baseUrl = upstream.baseUrl.replace(/\/v1$/, "");
  await gateway.channel({ model, baseUrl, dialect: "gemini", models: { [model]: "gemini-x" } });
});

const messages = [{ role: "user", content: "hi" }];

test.each([
  ["/v1/chat/completions", { messages }],
  ["/v1/messages", { messages, max_tokens: 100 }],
  ["/v1/responses", { input: "hi" }],
])(
  "%s is answered by a Gemini upstream, whole and streamed, and thoughts are paid for",
  async (path, body) => {
    for (const stream of [false, true]) {
      const response = await fetch(gateway.url + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${customer.secret}`,
          "content-type": "application/json",
          "anthropic-version": "2023-06-01",
        },
        body: JSON.stringify({ model, stream, ...body }),
      });
      const text = await response.text();
      expect([response.status, text.includes("there")]).toEqual([200, true]);
      const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
      const asked = upstream.asked.at(-1);
      expect(asked?.path).toBe(`/v1beta/models/gemini-x:${verb}`);
      expect(asked?.headers).toMatchObject({ "x-goog-api-key": "upstream-secret" });
      expect(asked?.headers.authorization).toBeUndefined();
      expect((await gateway.entries(customer.accountId))[0]).toMatchObject({
        inputTokens: 10,
        outputTokens: 7,
        reasoningTokens: 2,
        usageSource: "upstream",
      });
    }
  },
);

test("a client of Google's is forwarded, and reads the public name", async () => {
  const { models } = new GoogleGenAI({ apiKey: customer.secret, httpOptions: { baseUrl: gateway.url } });
  const whole = await models.generateContent({ model, contents: "hi" });
  expect([whole.text, whole.modelVersion]).toEqual(["Hello there", model]);
  expect(whole.usageMetadata).toMatchObject(usageMetadata);
  let text = "";
  for await (const piece of await models.generateContentStream({ model, contents: "hi" })) {
    expect(piece.modelVersion).toBe(model);
    text += piece.text ?? "";
  }
  expect(text).toBe("Hello there");
});

test.each([
  ["a key that is none", { status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] }],
  ["a place that is not served", { status: "FAILED_PRECONDITION" }],
])("Google's 400 for %s is no fault of the call's: the next channel takes it", async (_what, more) => {
  const message = "User location is not supported for the API use.";
  const broken = await startUpstream((_asked, response) =>
    sendJson(response, 400, { error: { code: 400, message, ...more } }),
  );
  const failing = await gateway.model();
  const channel = { model: failing, dialect: "gemini", models: { [failing]: "gemini-x" } } as const;
  await gateway.channel({ ...channel, baseUrl: broken.baseUrl, priority: 10 });
  await gateway.channel({ ...channel, baseUrl: upstream.baseUrl.replace(/\/v1$/, "") });
  for (let round = 0; round < 2; round++) {
    const response = await gateway.chat(customer.secret, { model: failing, messages });
    expect(response.status).toBe(200);
  }
  // The credential rests.
  expect(broken.asked).toHaveLength(1);
  await broken.close();
});

test("what Google refuses for the call's sake is the client's to hear, once", async () => {
  const message = "Invalid value at 'contents'";
  const strict = await startUpstream((_asked, response) =>
    sendJson(response, 400, { error: { code: 400, message, status: "INVALID_ARGUMENT", details: [] } }),
  );
  const refused = await gateway.model();
  await gateway.channel({ model: refused, dialect: "gemini", baseUrl: strict.baseUrl });
  const response = await gateway.chat(customer.secret, { model: refused, messages });
  expect([response.status, await response.json()]).toEqual([400, { code: 400, message, data: null }]);
  expect(strict.asked).toHaveLength(1);
  await strict.close();
});
