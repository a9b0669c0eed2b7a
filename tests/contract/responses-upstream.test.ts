import OpenAI7 from "openai";
import OpenAI6 from "openai-6";
import { describe, expect, test } from "vitest";
import type { CapabilityOverrides } from "@/server/channels";
import { toEnvelope } from "@/server/protocol/pivot/sealed";
import { eventually } from "@/tests/support/eventually";
import { perFile, servedModel } from "@/tests/support/per-file";
import {
  answerItemsWith,
  answerResponseWith,
  messageItem,
  responseEvent,
  responseUsage,
} from "@/tests/support/responses-answer";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { startUpstream } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerResponseWith("Hello there")));
const thinking: CapabilityOverrides = { thinking: "effort", effortLevels: ["low", "high"] };
const model = servedModel(
  { gateway, upstream },
  {},
  { dialect: "openai-responses", upstreamName: "gpt-x", capabilities: thinking },
);
const customer = perFile(() => gateway.customer());

const post = (path: string, body: object, secret = customer.secret) =>
  fetch(`${gateway.url}/v1/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify(body),
  });
const sent = () => upstream.asked.at(-1)?.body ?? {};
const messages = [{ role: "user", content: "hi" }];
const call = (name: string, more: object = {}) => ({
  ...{ id: "fc_upstream", type: "function_call", status: "completed" },
  ...{ call_id: "call_1", name, arguments: '{"a":1}', ...more },
});
const sealed = {
  id: "rs_upstream",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "Thought." }],
  encrypted_content: "vendor-blob",
};

type Frame = { type: string; sequence_number: number; response?: Record<string, unknown> } & Record<
  string,
  unknown
>;
const framesOf = (text: string): Frame[] =>
  text
    .split("\n")
    .flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as Frame] : []));

describe.each([
  ["openai 7", OpenAI7 as unknown as typeof OpenAI6],
  ["openai 6", OpenAI6],
])("%s on a responses upstream", (_name, OpenAI) => {
  const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret, maxRetries: 0 });

  test("reads an answer and a stream, each item under one identifier (litellm#32607)", async () => {
    upstream.answer(answerItemsWith([sealed, messageItem("Hello there"), call("f")]));
    const whole = await client().responses.create({ model, input: "hi" });
    const stream = client().responses.stream({ model, input: "hi" });
    const final = await stream.finalResponse();
    for (const response of [whole, final]) {
      expect([response.status, response.output_text, response.model]).toEqual([
        "completed",
        "Hello there",
        model,
      ]);
      expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
      expect(response.id).toMatch(/^resp_[0-9a-f]{40}$/);
      expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 });
    }
    upstream.answer(answerResponseWith("Hello there"));
  });

  test("goes on from a response, which no vendor has stored", async () => {
    const first = await client().responses.create({ model, input: "one" });
    const second = await client().responses.create({ model, previous_response_id: first.id, input: "two" });
    expect(second.previous_response_id).toBe(first.id);
    expect(second).toMatchObject({ store: true });
    expect(sent()).toMatchObject({
      store: false,
      input: [
        { role: "user", content: "one" },
        { role: "assistant", content: [{ type: "output_text", text: "Hello there" }] },
        { role: "user", content: "two" },
      ],
    });
    expect("previous_response_id" in sent()).toBe(false);
    expect(JSON.stringify(sent())).not.toContain('"id"');
    expect((await client().responses.retrieve(second.id)).previous_response_id).toBe(first.id);
  });
});

test("what is not ours goes out as the client wrote it, but for what no vendor is to know (new-api#4462)", async () => {
  const body = `{ "seed": 12345678901234567890, "client_metadata":{"a":1}, "temperature": 1.0,
    "model": ${JSON.stringify(model)}, "input" : "h\\u0069", "max_output_tokens": 900, "previous_response_id":null}`;
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${customer.secret}`, "content-type": "application/json" },
    body,
  });
  expect(response.status).toBe(200);
  expect(upstream.asked.at(-1)?.raw).toBe(
    '{"seed": 12345678901234567890,"temperature": 1.0,"model": "gpt-x","input" : "h\\u0069",' +
      '"max_output_tokens": 900,"store":false,"include":["reasoning.encrypted_content"]}',
  );
  expect(upstream.asked.at(-1)?.path).toBe("/v1/responses");
  expect(upstream.asked.at(-1)?.headers.authorization).toMatch(/^Bearer /);
});

test("thinking that the vendor encrypted comes back to it, and only to it (litellm PR#37953, zed#59207)", async () => {
  upstream.answer(answerItemsWith([sealed, call("f")]));
  const first = (await (await post("responses", { model, input: "hi", store: false })).json()) as {
    output: Record<string, unknown>[];
  };
  expect(first.output[0]?.encrypted_content).toMatch(/^tg1\./);
  const foreign = toEnvelope({ type: "thinking", text: "x", seal: { origin: "anthropic", data: "sig" } });
  const input = [
    { role: "user", content: "hi" },
    { type: "reasoning", id: "rs_other", summary: [], encrypted_content: foreign },
    { type: "reasoning", id: "rs_unsealed", summary: [{ type: "summary_text", text: "lost" }] },
    ...first.output,
    { type: "function_call_output", call_id: "call_1", output: "1" },
  ];
  await post("responses", { model, input, store: false });
  const items = sent().input as Record<string, unknown>[];
  expect(items.map(({ type }) => type)).toEqual([
    undefined,
    "reasoning",
    "function_call",
    "function_call_output",
  ]);
  expect(items[1]).toMatchObject({ encrypted_content: "vendor-blob", summary: sealed.summary });
  upstream.answer(answerResponseWith("Hello there"));
});

test("a reference to an item that a stream brought stands for the item (neon-pkgs#367)", async () => {
  const text = await (await post("responses", { model, input: "one", stream: true })).text();
  const item = framesOf(text).find(({ type }) => type === "response.output_item.done")?.item as {
    id: string;
  };
  const input = [
    { role: "user", content: "one" },
    { type: "item_reference", id: item.id },
  ];
  expect((await post("responses", { model, input })).status).toBe(200);
  expect(sent().input).toMatchObject([{ content: "one" }, { content: [{ text: "Hello there" }] }]);
});

test("events are numbered without a gap, and the last has all items (litellm PR#28899, PR#38719, llama.cpp#24957)", async () => {
  upstream.answer(async (_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const item = messageItem("Hi");
    response.write(responseEvent("response.created", { response: { id: "r", status: "in_progress" } }));
    response.write(
      responseEvent("response.output_item.added", { output_index: 0, item: { ...item, content: [] } }),
    );
    response.write(responseEvent("keepalive"));
    response.write(responseEvent("response.output_item.done", { output_index: 0, item }));
    response.end(responseEvent("response.completed", { response: { status: "completed", output: null } }));
  });
  const frames = framesOf(await (await post("responses", { model, input: "x", stream: true })).text());
  expect(frames.map(({ type }) => type)).toEqual([
    "response.created",
    "response.output_item.added",
    "response.in_progress",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(frames.map((frame) => frame.sequence_number)).toEqual([0, 1, 2, 3, 4]);
  expect(new Set(frames.flatMap(({ response }) => (response ? [response.id] : []))).size).toBe(1);
  expect(frames.at(-1)?.response?.output).toMatchObject([{ type: "message", content: [{ text: "Hi" }] }]);
  const begun = frames[2]?.response?.output;
  expect(begun).toMatchObject([{ type: "message", content: [] }]);
  upstream.answer(answerResponseWith("Hello there"));
});

test.each([
  ["chat/completions", { messages }],
  ["messages", { messages, max_tokens: 100 }],
  ["responses", { input: "hi" }],
])(
  "a stream without its last event is a broken one to %s (Switchyard#796, codex#41340)",
  async (path, body) => {
    upstream.answer((_asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const response_ = { id: "r", status: "in_progress", output: [] };
      response.write(responseEvent("response.created", { response: response_ }));
      const place = { output_index: 0, item_id: "m", content_index: 0 };
      response.end(responseEvent("response.output_text.delta", { ...place, delta: "Half" }));
    });
    const payer = await gateway.customer();
    const text = await (await post(path, { model, ...body, stream: true }, payer.secret)).text();
    expect(text).toContain("Half");
    expect(text).toContain("error");
    expect(text).not.toMatch(/"finish_reason":"stop"|message_stop|response\.completed/);
    await eventually(async () => (await gateway.entries(payer.accountId)).length).toBe(1);
    expect((await gateway.entries(payer.accountId))[0]).toMatchObject({
      kind: "capture",
      usageSource: "estimated",
    });
    upstream.answer(answerResponseWith("Hello there"));
  },
);

describe("a client of another dialect", () => {
  const tool = { name: "f", parameters: { type: "object", properties: { a: { type: "integer" } } } };

  test("asks in the dialect's own form (open-webui#27750)", async () => {
    const response = await post("chat/completions", {
      model,
      messages: [{ role: "system", content: "Be brief." }, ...messages],
      tools: [{ type: "function", function: tool }],
      tool_choice: { type: "function", function: { name: "f" } },
      reasoning_effort: "high",
      max_tokens: 5,
      user: "u",
      response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } },
    });
    expect(response.status).toBe(200);
    expect(sent()).toEqual({
      model: "gpt-x",
      instructions: "Be brief.",
      input: [{ type: "message", role: "user", content: "hi" }],
      max_output_tokens: 16,
      tools: [{ type: "function", ...tool, strict: false }],
      tool_choice: { type: "function", name: "f" },
      reasoning: { effort: "high", summary: "auto" },
      text: { format: { type: "json_schema", name: "response", schema: { type: "object" }, strict: false } },
      user: "u",
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });

  test.each([true, false])("reads calls as calls, streamed: %s (9router#354)", async (stream) => {
    upstream.answer(answerItemsWith([sealed, call("f")]));
    const tools = [{ type: "function", function: tool }];
    const chat = await (await post("chat/completions", { model, messages, tools, stream })).text();
    expect(chat).toContain('"finish_reason":"tool_calls"');
    const named = [{ name: "f", input_schema: tool.parameters }];
    const message = await (
      await post("messages", { model, max_tokens: 10, messages, tools: named, stream })
    ).text();
    expect(message).toContain('"stop_reason":"tool_use"');
    upstream.answer(answerResponseWith("Hello there"));
  });

  test.each([
    ["max_output_tokens", "length", "max_tokens"],
    ["content_filter", "content_filter", "refusal"],
  ])("%s is never told as an answer (bifrost#4679, better-ccflare#324)", async (reason, finish, stop) => {
    const item = { ...messageItem("Half"), status: "incomplete" };
    const more = { status: "incomplete", incomplete_details: { reason } };
    upstream.answer(answerItemsWith([item], responseUsage(10, 5), more));
    for (const stream of [true, false]) {
      expect(await (await post("chat/completions", { model, messages, stream })).text()).toContain(
        `"finish_reason":"${finish}"`,
      );
      expect(await (await post("messages", { model, max_tokens: 10, messages, stream })).text()).toContain(
        `"stop_reason":"${stop}"`,
      );
      const own = await (await post("responses", { model, input: "x", stream })).text();
      expect(own).toContain(`"incomplete_details":{"reason":"${reason}"}`);
    }
    upstream.answer(answerResponseWith("Hello there"));
  });

  test("hands the vendor's encrypted thinking back over the messages dialect (litellm#40288)", async () => {
    upstream.answer(answerItemsWith([sealed, call("f")]));
    const tools = [{ name: "f", input_schema: tool.parameters }];
    const ask = (turns: object[]) =>
      post("messages", { model, max_tokens: 2_000, messages: turns, tools, thinking: { type: "adaptive" } });
    const { content } = (await (await ask(messages)).json()) as { content: object[] };
    const result = { type: "tool_result", tool_use_id: "call_1", content: "1" };
    await ask([...messages, { role: "assistant", content }, { role: "user", content: [result] }]);
    expect(sent().input).toMatchObject([
      { role: "user" },
      { type: "reasoning", summary: sealed.summary, encrypted_content: "vendor-blob" },
      { type: "function_call", call_id: "call_1" },
      { type: "function_call_output", call_id: "call_1", output: "1" },
    ]);
    upstream.answer(answerResponseWith("Hello there"));
  });
});

describe("tools that the vendor runs", () => {
  const own = { type: "function", name: "f", parameters: null, strict: false };
  const input = "hi";

  test("stay at home where the prices cover none (bitrouter#553, command-code#885)", async () => {
    const tools = [{ type: "web_search" }, own, { type: "image_generation" }];
    expect((await post("responses", { model, input, tools, tool_choice: "auto" })).status).toBe(200);
    expect([sent().tools, sent().tool_choice]).toEqual([[own], "auto"]);
    expect((await post("responses", { model, input, tools: [{ type: "web_search" }] })).status).toBe(200);
    expect("tools" in sent()).toBe(false);
    const forced = { model, input, tools, tool_choice: { type: "image_generation" } };
    expect((await post("responses", forced)).status).toBe(400);
  });

  test("go out where they do", async () => {
    const paid = await gateway.model();
    const capabilities = { [paid]: { webSearch: true } };
    await gateway.channel({
      ...{ model: paid, baseUrl: upstream.baseUrl, dialect: "openai-responses", capabilities },
    });
    const tools = [{ type: "web_search" }, own, { type: "code_interpreter" }];
    await post("responses", { model: paid, input, tools });
    expect(sent().tools).toEqual([{ type: "web_search" }, own]);
  });
});
