import { describe, expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { startGateway } from "@/tests/support/gateway";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { perFile, servedModel } from "@/tests/support/per-file";
import { answerWith, startUpstream } from "@/tests/support/upstream";
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
const _eventsOf = (text: string) =>
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

  test("nyro#217: a system message between the turns stays where it is", async () => {
    upstream.answer(answerMessageWith("Hello"));
    const { secret } = await gateway.customer();
    const history = [...messages, { role: "system", content: "Reminder" }];
    const response = await send(secret, { messages: history });
    expect(response.status).toBe(200);
    expect(lastAsked()?.body.messages).toEqual(history);
  });
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
