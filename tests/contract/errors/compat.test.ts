import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";

const gateway = perFile(() => startGateway({ env: { COMPAT_ERRORS: "true" } }));
const customer = perFile(() => gateway.customer());

const words = "模型 nope 不存在或未启用";

test("COMPAT_ERRORS adds what the SDKs show to the envelope, and removes nothing", async () => {
  const response = await gateway.chat(customer.secret, {
    model: "nope",
    messages: [{ role: "user", content: "a" }],
  });
  expect(await response.json()).toEqual({
    code: 404,
    message: words,
    data: null,
    type: "error",
    error: { message: words, type: "invalid_request_error", code: "model_not_found", param: null },
  });
});

test("an error has the type that its client's vendor gives to its status", async () => {
  const messages = [{ role: "user", content: "a" }];
  const limited = await gateway.customer({ requestsPerMinute: 1 });
  const typeOf = async (path: string, secret: string) => {
    const response = await gateway.post(secret, path, { model: "nope", max_tokens: 9, messages });
    return [response.status, (await response.json()).error.type];
  };
  expect(await typeOf("messages", "sk-none")).toEqual([401, "authentication_error"]);
  expect(await typeOf("messages", limited.secret)).toEqual([404, "not_found_error"]);
  expect(await typeOf("messages", limited.secret)).toEqual([429, "rate_limit_error"]);
  expect(await typeOf("chat/completions", limited.secret)).toEqual([429, "invalid_request_error"]);
});

test("both dialects' SDKs show the message", async () => {
  const messages = [{ role: "user" as const, content: "a" }];
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret, maxRetries: 0 });
  await expect(openai.chat.completions.create({ model: "nope", messages })).rejects.toThrow(words);
  const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: customer.secret, maxRetries: 0 });
  await expect(anthropic.messages.create({ model: "nope", max_tokens: 9, messages })).rejects.toThrow(words);
});

test("Google's SDKs find their status, and when to retry", async () => {
  const path = "/v1beta/models/nope:generateContent";
  const headers = { "x-goog-api-key": customer.secret, "content-type": "application/json" };
  const ask = (key: Record<string, string>) =>
    fetch(gateway.url + path, { method: "POST", headers: { ...headers, ...key }, body: '{"contents":[{}]}' });
  const error = { code: 404, message: words, status: "NOT_FOUND", details: [] };
  expect(await (await ask({})).json()).toEqual({
    code: 404,
    message: words,
    data: null,
    status: "NOT_FOUND",
    error,
  });
  const slow = await gateway.customer({ requestsPerMinute: 1 });
  await ask({ "x-goog-api-key": slow.secret });
  const limited = await ask({ "x-goog-api-key": slow.secret });
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo" };
  expect(await limited.json()).toMatchObject({
    error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [retry] },
  });
  const { models } = new GoogleGenAI({ apiKey: customer.secret, httpOptions: { baseUrl: gateway.url } });
  await expect(models.generateContent({ model: "nope", contents: "a" })).rejects.toThrow(words);
});

test("the slug is the HTTP reason phrase, which the AI SDK shows", async () => {
  const response = await gateway.chat("sk-none", {});
  expect(response.statusText).toBe("invalid_api_key");
});
