import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { CapabilityOverrides } from "@/server/channels";
import { messages, perFile, served } from "@/tests/support/per-file";
import { answerResponseWith } from "@/tests/support/responses-answer";

const thinking: CapabilityOverrides = { thinking: "effort", effortLevels: ["low", "high"] };
const channel = { dialect: "openai-responses", upstreamName: "gpt-x", capabilities: thinking } as const;
const { gateway, upstream, model } = served(answerResponseWith("Hello there"), {}, channel);
const customer = perFile(() => gateway.customer());

const post = (path: string, body: unknown) => gateway.post(customer.secret, path, body);
const lastBody = () => upstream.requests.at(-1)?.body ?? {};
test("a client continues from a response that no vendor has stored", async () => {
  const { responses } = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret, maxRetries: 0 });
  const first = await responses.create({ model, input: "one" });
  const second = await responses.create({ model, previous_response_id: first.id, input: "two" });
  expect(second.previous_response_id).toBe(first.id);
  expect(second).toMatchObject({ store: true });
  expect(lastBody()).toMatchObject({
    store: false,
    input: [
      { role: "user", content: "one" },
      { role: "assistant", content: [{ type: "output_text", text: "Hello there" }] },
      { role: "user", content: "two" },
    ],
  });
  expect("previous_response_id" in lastBody()).toBe(false);
  expect(JSON.stringify(lastBody())).not.toContain('"id"');
  expect((await responses.retrieve(second.id)).previous_response_id).toBe(first.id);
});

test("members that are not ours go out as the client wrote them, except those that no vendor may see (new-api#4462)", async () => {
  const body = `{ "seed": 12345678901234567890, "client_metadata":{"a":1}, "temperature": 1.0,
    "model": ${JSON.stringify(model)}, "input" : "h\\u0069", "max_output_tokens": 900, "previous_response_id":null}`;
  expect((await post("responses", body)).status).toBe(200);
  expect(upstream.requests.at(-1)?.raw).toBe(
    '{"seed": 12345678901234567890,"temperature": 1.0,"model": "gpt-x","input" : "h\\u0069",' +
      '"max_output_tokens": 900,"store":false,"include":["reasoning.encrypted_content"]}',
  );
  expect(upstream.requests.at(-1)?.path).toBe("/v1/responses");
  expect(upstream.requests.at(-1)?.headers.authorization).toMatch(/^Bearer /);
});

describe("a client of another dialect", () => {
  const tool = { name: "f", parameters: { type: "object", properties: { a: { type: "integer" } } } };

  test("is sent to the upstream in its dialect's own form (open-webui#27750)", async () => {
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
    expect(lastBody()).toEqual({
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
});

describe("tools that the vendor runs", () => {
  const own = { type: "function", name: "f", parameters: null, strict: false };
  const input = "hi";

  test("are not sent if no price covers them (bitrouter#553, command-code#885)", async () => {
    const tools = [{ type: "web_search" }, own, { type: "image_generation" }];
    expect((await post("responses", { model, input, tools, tool_choice: "auto" })).status).toBe(200);
    expect([lastBody().tools, lastBody().tool_choice]).toEqual([[own], "auto"]);
    expect((await post("responses", { model, input, tools: [{ type: "web_search" }] })).status).toBe(200);
    expect("tools" in lastBody()).toBe(false);
    const forced = { model, input, tools, tool_choice: { type: "image_generation" } };
    expect((await post("responses", forced)).status).toBe(400);
  });

  test("are sent if a price covers them", async () => {
    const paid = await gateway.model();
    const capabilities = { [paid]: { webSearch: true } };
    const { baseUrl } = upstream;
    await gateway.channel({ model: paid, baseUrl, dialect: "openai-responses", capabilities });
    const tools = [{ type: "web_search" }, own, { type: "code_interpreter" }];
    await post("responses", { model: paid, input, tools });
    expect(lastBody().tools).toEqual([{ type: "web_search" }, own]);
  });
});
