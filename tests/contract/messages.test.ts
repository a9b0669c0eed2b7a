import { describe, expect, test } from "vitest";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { served } from "@/tests/support/per-file";
import { answerWith, refuseWith, startUpstream } from "@/tests/support/upstream";

const { gateway, upstream, model } = served(
  answerMessageWith("Hello there"),
  {},
  { dialect: "anthropic", upstreamName: "claude-x" },
);

const messages = [{ role: "user", content: "Hi" }];

const lastAsked = () => upstream.requests.at(-1);
test("unknown fields, version and betas reach a vendor of the same dialect, and the key does not", async () => {
  upstream.answer(answerMessageWith("Hello"));
  const { secret } = await gateway.customer();
  const body = {
    max_tokens: 7,
    metadata: { user_id: "u" },
    context_management: { edits: [] },
    system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
  };
  const headers = { "anthropic-version": "2026-10-21", "anthropic-beta": "a-1, b-2" };
  await gateway.post(secret, "messages?beta=true", { model, messages, ...body }, { headers });
  expect(lastAsked()?.body).toEqual({ model: "claude-x", messages, ...body });
  expect(lastAsked()?.headers).toMatchObject({ ...headers, "x-api-key": "upstream-secret" });
  expect(JSON.stringify(lastAsked()?.headers)).not.toContain(secret);
});

test("a limit that the client did not name fits into the model's context together with the prompt", async () => {
  const id = await gateway.model({ maxOutputTokens: 8_192, contextWindow: 8_192 });
  await gateway.channel({ model: id, dialect: "anthropic", baseUrl: upstream.baseUrl });
  const { secret } = await gateway.customer();
  const upstreamLimit = async (path: string, body: object) => {
    upstream.answer(answerMessageWith("Hello"));
    await (await gateway.post(secret, path, { model: id, messages, ...body })).text();
    return Number(lastAsked()?.body.max_tokens);
  };
  const unnamed = [await upstreamLimit("messages", {}), await upstreamLimit("chat/completions", {})];
  expect(unnamed.filter((limit) => limit > 8_000 && limit < 8_192)).toEqual(unnamed);
  expect(await upstreamLimit("messages", { max_tokens: 8_192 })).toBe(8_192);
});

test("a channel that cannot take a call is skipped for one that can", async () => {
  const id = await gateway.model();
  upstream.answer(answerMessageWith("Native"));
  const chat = await startUpstream(answerWith("Translated"));
  await gateway.channel({ model: id, baseUrl: chat.baseUrl, priority: 10 });
  const { secret } = await gateway.customer();
  const file = { type: "document", source: { type: "file", file_id: "file_1" } };
  const withFile = { model: id, messages: [{ role: "user", content: [file] }] };
  const refused = await gateway.post(secret, "messages", withFile);
  expect(refused.status).toBe(400);
  expect(refused.headers.get("x-error-code")).toBe("unsupported_by_model");
  await gateway.channel({ model: id, dialect: "anthropic", baseUrl: upstream.baseUrl });
  const served = await gateway.post(secret, "messages", withFile);
  expect(await served.json()).toMatchObject({ content: [{ text: "Native" }] });
  expect(chat.requests).toEqual([]);
  await chat.close();
});

const question = { messages };
const named = { "anthropic-version": "2023-06-01", "anthropic-beta": "token-counting-2024-11-01" };
const askCount = (secret: string, body: object) =>
  gateway.post(
    secret,
    "messages/count_tokens?beta=true",
    { model, ...question, ...body },
    { headers: named },
  );

describe("token counts", () => {
  test("litellm#13252: are the upstream's own, and cost nothing", async () => {
    upstream.answer(answerMessageWith("", { input_tokens: 77 }));
    const { secret, accountId } = await gateway.customer();
    const response = await askCount(secret, {});
    expect(await response.json()).toEqual({ input_tokens: 77 });
    expect(upstream.requests.at(-1)).toMatchObject({
      path: "/v1/messages/count_tokens",
      headers: named,
      body: { model: "claude-x", ...question },
    });
    expect(await gateway.entries(accountId)).toEqual([]);
    expect(await gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  });

  test.each([404, 429, 500])("are the gateway's estimate if the upstream answers %s", async (status) => {
    const id = await gateway.model();
    upstream.answer(refuseWith(status));
    await gateway.channel({ model: id, dialect: "anthropic", baseUrl: upstream.baseUrl });
    const { secret } = await gateway.customer();
    const response = await askCount(secret, { model: id });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ input_tokens: expect.any(Number) });
  });

  test("pass the upstream's 400 on to the client", async () => {
    upstream.answer(refuseWith(400, "bad tools"));
    const { secret } = await gateway.customer();
    const response = await askCount(secret, {});
    expect(await response.json()).toMatchObject({ code: 400, message: "bad tools" });
  });

  test("CLIProxyAPI#679: are the gateway's estimate if no channel can count, and include the system prompt and tools", async () => {
    const id = await gateway.model();
    const chat = await startUpstream(answerWith("no"));
    await gateway.channel({ model: id, baseUrl: chat.baseUrl });
    const { secret, accountId } = await gateway.customer();
    const count = async (more: object) => {
      const response = await askCount(secret, { model: id, ...more });
      return ((await response.json()) as { input_tokens: number }).input_tokens;
    };
    const bare = await count({});
    expect(bare).toBeGreaterThan(0);
    expect(await count({ system: "word ".repeat(100) })).toBeGreaterThan(bare + 80);
    const tool = { name: "f", description: "word ".repeat(100), input_schema: { type: "object" } };
    expect(await count({ tools: [tool] })).toBeGreaterThan(bare + 80);
    expect(chat.requests).toEqual([]);
    expect(await gateway.entries(accountId)).toEqual([]);
    await chat.close();
  });
});
