import { describe, expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { SYNTHETIC_SIGNATURE } from "@/server/protocol/signed-thinking";
import { startGateway } from "@/tests/support/gateway";
import { answerMessageWith, messagesEvent, textEvents } from "@/tests/support/messages-answer";
import { perFile, servedModel } from "@/tests/support/per-file";
import { textReader } from "@/tests/support/text-reader";
import { answerWith, refuseWith, startUpstream } from "@/tests/support/upstream";
import { advancingTime } from "@/tests/support/virtual-clock";

const time = advancingTime();
const gateway = perFile(() => startGateway({ timers: time.timers, env: { KEEP_ALIVE_SECONDS: "15" } }));
const upstream = perFile(() => startUpstream(answerMessageWith("Hello there")));
const money = (text: string) => parseMoney(text) ?? nanos(0n);
const model = servedModel(
  { gateway, upstream },
  { cacheReadPrice: money("0.1"), cacheWritePrice: money("1.25") },
  { dialect: "anthropic", upstreamName: "claude-x" },
);

const messages = [{ role: "user", content: "Hi" }];

type Options = { headers?: Record<string, string>; path?: string; signal?: AbortSignal };
const send = (secret: string, body: object, { headers = {}, path = "/v1/messages", signal }: Options = {}) =>
  fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: {
      "x-api-key": secret,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify({ model, messages, ...body }),
    ...(signal && { signal }),
  });

const lastAsked = () => upstream.asked.at(-1);
const eventsOf = (text: string) =>
  text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => JSON.parse(frame.split("\ndata: ")[1] ?? "") as Record<string, unknown>);

test("an answer has every field of spec 2.3 and the public model name", async () => {
  upstream.answer(answerMessageWith("Hello there"));
  const { secret } = await gateway.customer();
  const response = await send(secret, { max_tokens: 100 });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    id: "msg_fake",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Hello there" }],
    model,
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  });
});

test("the version is asked for before the body is looked at", async () => {
  const { secret } = await gateway.customer();
  const headers = { "anthropic-version": "", "content-type": "text/plain" };
  const response = await send(secret, {}, { headers });
  expect([response.status, response.headers.get("x-error-code")]).toEqual([400, "missing_version"]);
});

describe("what reaches a vendor of the same dialect", () => {
  test("unknown fields, version and betas are forwarded; the key is not", async () => {
    upstream.answer(answerMessageWith("Hello"));
    const { secret } = await gateway.customer();
    const body = {
      max_tokens: 7,
      metadata: { user_id: "u" },
      context_management: { edits: [] },
      system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
    };
    await send(secret, body, {
      path: "/v1/messages?beta=true",
      headers: { "anthropic-version": "2026-10-21", "anthropic-beta": "a-1, b-2" },
    });
    expect(lastAsked()?.body).toEqual({ model: "claude-x", messages, ...body });
    expect(lastAsked()?.headers).toMatchObject({
      "anthropic-version": "2026-10-21",
      "anthropic-beta": "a-1, b-2",
      "x-api-key": "upstream-secret",
    });
    expect(JSON.stringify(lastAsked()?.headers)).not.toContain(secret);
  });

  test("max_tokens is the model's default when the client names none", async () => {
    upstream.answer(answerMessageWith("Hello"));
    const { secret } = await gateway.customer();
    const response = await send(secret, {});
    expect(response.headers.get("x-quota-capped")).toBeNull();
    expect(lastAsked()?.body.max_tokens).toBe(1_000);
  });

  test("max_tokens is what the account can pay when that is less than the default", async () => {
    upstream.answer(answerMessageWith("Hello"));
    const id = await gateway.model({ maxOutputTokens: 100_000 });
    await gateway.channel({ model: id, dialect: "anthropic", baseUrl: upstream.baseUrl });
    const { secret } = await gateway.customer({ quota: "0.01" });
    const response = await send(secret, { model: id });
    const capped = Number(response.headers.get("x-quota-capped"));
    expect(capped).toBeGreaterThanOrEqual(1_024);
    expect(lastAsked()?.body.max_tokens).toBe(capped);
  });

  test("nyro#217: a system message between the turns stays where it is", async () => {
    upstream.answer(answerMessageWith("Hello"));
    const { secret } = await gateway.customer();
    const history = [...messages, { role: "system", content: "Reminder" }];
    const response = await send(secret, { messages: history });
    expect(response.status).toBe(200);
    expect(lastAsked()?.body.messages).toEqual(history);
  });

  test("CLIProxyAPI#1584: thinking that we signed never reaches it", async () => {
    upstream.answer(answerMessageWith("Hello"));
    const { secret } = await gateway.customer();
    const thought = { type: "thinking", thinking: "hm", signature: SYNTHETIC_SIGNATURE };
    const said = { type: "text", text: "a" };
    await send(secret, {
      messages: [...messages, { role: "assistant", content: [thought, said] }, ...messages],
    });
    expect(lastAsked()?.body.messages).toEqual([
      ...messages,
      { role: "assistant", content: [said] },
      ...messages,
    ]);
  });
});

describe("money", () => {
  const usage = {
    input_tokens: 3,
    output_tokens: 550,
    cache_read_input_tokens: 1_000,
    cache_creation_input_tokens: 12_304,
    cache_creation: { ephemeral_5m_input_tokens: 12_000, ephemeral_1h_input_tokens: 304 },
  };

  test.each([{ stream: false }, { stream: true }])(
    "litellm#9812, litellm#11789: each class of cached input is charged once, at its own price: %j",
    async ({ stream }) => {
      upstream.answer(answerMessageWith("Hello", usage));
      const id = await gateway.model({
        inputPrice: money("10"),
        outputPrice: money("50"),
        cacheReadPrice: money("1"),
        cacheWritePrice: money("12.5"),
        cacheWrite1hPrice: money("20"),
      });
      await gateway.channel({ model: id, dialect: "anthropic", baseUrl: upstream.baseUrl });
      const { secret, accountId } = await gateway.customer();
      await (await send(secret, { model: id, stream })).text();
      const [entry] = await gateway.entries(accountId);
      expect(entry).toMatchObject({
        kind: "capture",
        usageSource: "upstream",
        inputTokens: 3,
        cacheReadTokens: 1000,
        cacheWriteTokens: 12000,
        cacheWrite1hTokens: 304,
        outputTokens: 550,
      });
      // Nano-units: tokens x price per million, class by class.
      const cost = 3 * 10_000 + 1_000 * 1_000 + 12_000 * 12_500 + 304 * 20_000 + 550 * 50_000;
      expect(await gateway.balance(accountId)).toMatchObject({ used: BigInt(cost), frozen: 0n });
    },
  );

  test("new-api#5289: a stream that breaks with an error costs what came before it, not the error's words", async () => {
    upstream.answer((_asked, response) => {
      const error = { type: "overloaded_error", message: "Overloaded ".repeat(500) };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(textEvents("one two three", { input_tokens: 10 }).slice(0, 5).join(""));
      response.end(messagesEvent({ type: "error", error }));
    });
    const { secret, accountId } = await gateway.customer();
    const events = eventsOf(await (await send(secret, { stream: true })).text());
    expect(events.at(-1)).toMatchObject({
      type: "error",
      error: { type: "api_error", message: expect.stringContaining("Overloaded") },
      code: 502,
      data: null,
    });
    const [entry] = await gateway.entries(accountId);
    expect(entry).toMatchObject({ usageSource: "partial", inputTokens: 10 });
    expect(Number(entry?.outputTokens)).toBeLessThan(10);
  });

  test("bitrouter#537: a client that hangs up pays its prompt and what it was sent", async () => {
    let hungUp = false;
    upstream.answer((_asked, response) => {
      response.on("close", () => {
        hungUp = true;
      });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(textEvents("one two three", { input_tokens: 10 }).slice(0, 5).join(""));
    });
    const { secret, accountId } = await gateway.customer();
    const hangUp = new AbortController();
    const response = await send(secret, { stream: true }, { signal: hangUp.signal });
    await response.body?.getReader().read();
    hangUp.abort();
    await expect.poll(() => gateway.entries(accountId)).toHaveLength(1);
    expect((await gateway.entries(accountId))[0]).toMatchObject({
      kind: "capture",
      usageSource: "partial",
      inputTokens: 10,
    });
    await expect.poll(() => hungUp).toBe(true);
  });
});

test("a silence is filled with pings, and the stream goes on", async () => {
  const events = textEvents("one two", { input_tokens: 10, output_tokens: 2 });
  let end = () => {};
  upstream.answer((_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(events.slice(0, 2).join(""));
    end = () => void response.end(events.slice(2).join(""));
  });
  const { secret } = await gateway.customer();
  const client = textReader(await send(secret, { stream: true }));
  await client.until("content_block_start");
  time.advance(15_000);
  await client.until('"ping"');
  end();
  const types = eventsOf(await client.rest()).map((event) => event.type);
  expect(types.slice(0, 4)).toEqual(["message_start", "content_block_start", "ping", "ping"]);
  expect(types.at(-1)).toBe("message_stop");
});

test("claude-code-router#1799: an overflow at a chat upstream is said as Claude Code wants to hear it", async () => {
  const id = await gateway.model();
  const chat = await startUpstream(
    refuseWith(
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ),
  );
  await gateway.channel({ model: id, baseUrl: chat.baseUrl });
  const { secret } = await gateway.customer();
  const response = await send(secret, { model: id });
  expect(await response.json()).toEqual({
    code: 400,
    message: "prompt is too long: 9000 tokens > 8192 maximum",
    data: null,
  });
  await chat.close();
});

test("a channel that cannot take a call is passed over for one that can", async () => {
  const id = await gateway.model();
  upstream.answer(answerMessageWith("Native"));
  const chat = await startUpstream(answerWith("Translated"));
  await gateway.channel({ model: id, baseUrl: chat.baseUrl, priority: 10 });
  const { secret } = await gateway.customer();
  const file = { type: "document", source: { type: "file", file_id: "file_1" } };
  const withFile = { model: id, messages: [{ role: "user", content: [file] }] };
  const refused = await send(secret, withFile);
  expect(refused.status).toBe(400);
  expect(refused.headers.get("x-error-code")).toBe("unsupported_by_model");
  await gateway.channel({ model: id, dialect: "anthropic", baseUrl: upstream.baseUrl });
  const served = await send(secret, withFile);
  expect(await served.json()).toMatchObject({ content: [{ text: "Native" }] });
  expect(chat.asked).toEqual([]);
  await chat.close();
});
