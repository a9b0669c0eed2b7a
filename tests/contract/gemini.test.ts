import { GoogleGenAI } from "@google/genai";
import { describe, expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { collectItems } from "@/tests/support/collect-items";
import { startGateway } from "@/tests/support/gateway";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { perFile, servedModel } from "@/tests/support/per-file";
import { answerWith, sendJson, startUpstream } from "@/tests/support/upstream";

let logged = "";
const write = (line: string) => {
  logged += line;
};

const gateway = perFile(() => startGateway({ log: createLog("trace", { write }) }));
const chat = perFile(() => startUpstream(answerWith("Hello there")));
const messages = perFile(() => startUpstream(answerMessageWith("Hello there")));
const overChat = servedModel({ gateway, upstream: chat });
const overMessages = servedModel({ gateway, upstream: messages }, {}, { dialect: "anthropic" });
const vectors = perFile(() =>
  startUpstream((call, response) => {
    const input = call.body.input as string[];
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 0.5] }));
    sendJson(response, 200, { object: "list", data, usage: { prompt_tokens: 7, total_tokens: 7 } });
  }),
);
const embedding = servedModel({ gateway, upstream: vectors }, { kind: "embedding" });
const customer = perFile(() => gateway.customer());

const clientOf = (apiVersion: string, apiKey = customer.secret) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url, apiVersion } });

const contents = [{ role: "user", parts: [{ text: "hi" }] }];

const post = (path: string, body: object, key = customer.secret) =>
  fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "x-goog-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe.each(["v1", "v1beta"])("Google's official client, version %s", (apiVersion) => {
  test("counts tokens without money, and lists and gets models", async () => {
    const { models } = clientOf(apiVersion);
    const before = (await gateway.entries(customer.accountId)).length;
    const { totalTokens } = await models.countTokens({ model: overChat, contents: "hello there" });
    expect(totalTokens).toBeGreaterThan(2);
    expect((await gateway.entries(customer.accountId)).length).toBe(before);
    const listed = await collectItems(await models.list({ config: { pageSize: 1, queryBase: true } }));
    expect(listed.map(({ name }) => name).sort()).toEqual(
      [overChat, overMessages, embedding].map((id) => `models/${id}`).sort(),
    );
    expect(await models.get({ model: overChat })).toMatchObject({ name: `models/${overChat}` });
  });

  test("embeds texts, and is charged for input only", async () => {
    const { models } = clientOf(apiVersion);
    const read = await models.embedContent({
      model: embedding,
      contents: ["one", "three"],
      config: { outputDimensionality: 2, taskType: "RETRIEVAL_QUERY" },
    });
    expect(read.embeddings).toMatchObject([{ values: [3, 0.5] }, { values: [5, 0.5] }]);
    expect(vectors.requests.at(-1)?.body).toEqual({
      model: embedding,
      input: ["one", "three"],
      encoding_format: "float",
      dimensions: 2,
    });
    expect((await gateway.entries(customer.accountId))[0]).toMatchObject({ inputTokens: 7, outputTokens: 0 });
  });
});

test("a stream is an array of its pieces unless the client asks for events", async () => {
  const path = `/v1beta/models/${overMessages}:streamGenerateContent`;
  const array = await post(path, { contents });
  expect(array.headers.get("content-type")).toMatch("application/json");
  const pieces = (await array.json()) as { candidates: { content: { parts: { text: string }[] } }[] }[];
  expect(pieces.map((piece) => piece.candidates[0]?.content.parts[0]?.text).join("")).toBe("Hello there");
  const events = await post(`${path}?alt=sse`, { contents });
  expect(events.headers.get("content-type")).toMatch("text/event-stream");
  const text = await events.text();
  const frames = text.split("\n\n").slice(0, -1);
  expect(frames.every((frame) => frame.startsWith('data: {"candidates":'))).toBe(true);
  expect(text).not.toContain("[DONE]");
});

test("Google's prefixes of a model's name, and an encoded colon, change nothing", async () => {
  for (const path of [
    `/v1beta1/publishers/google/models/${overChat}:generateContent`,
    `/v1beta1/projects/p/locations/l/publishers/google/models/${overChat}:generateContent`,
    `/v1/models/${overChat}%3AgenerateContent`,
    `/v1alpha/models/${overChat}:generateContent`,
  ]) {
    expect((await post(path, { contents })).status, path).toBe(200);
  }
  expect((await post(`/v1beta/models/${overChat}:rawPredict`, {})).status).toBe(404);
  expect((await post(`/v1beta/tunedModels/${overChat}:generateContent`, {})).status).toBe(404);
  const doubled = await post(`/v1beta/v1beta/models/${overChat}:generateContent`, { contents });
  expect([doubled.status, doubled.headers.get("x-error-code")]).toEqual([404, "wrong_base_url"]);
});

describe("a key in the address", () => {
  test("is accepted by Google's endpoints, and by no others", async () => {
    const query = `?key=${customer.secret}`;
    const path = `/v1beta/models/${overChat}:generateContent`;
    expect((await post(path + query, { contents }, "")).status).toBe(200);
    expect((await post(path, { contents }, "")).status).toBe(401);
    const body = { model: overChat, messages: [{ role: "user", content: "hi" }] };
    expect((await post(`/v1/chat/completions${query}`, body, "")).status).toBe(401);
    const listed = (await (await fetch(`${gateway.url}/v1/models${query}`)).json()) as { models: unknown[] };
    expect(listed.models).toHaveLength(3);
  });

  test("is in no log, whatever happens to the call", async () => {
    const { secret } = await gateway.customer();
    for (const path of [
      `/v1beta/models/${overChat}:generateContent`,
      `/v1beta/models/nope:streamGenerateContent`,
      `/v1beta/models/${overChat}:unknownVerb`,
      "/v1beta/nothing",
      `/v1/v1/models/${overChat}:generateContent`,
    ]) {
      await (await post(`${path}?alt=sse&key=${secret}`, { contents }, "")).text();
    }
    await (await fetch(`${gateway.url}/v1beta/models?key=${secret}`)).text();
    expect(logged).toContain("gemini.generate");
    expect(logged).not.toContain(secret);
  });
});
