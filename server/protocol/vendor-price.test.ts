import { expect, test } from "vitest";
import { parseWithoutPrice } from "./vendor-price";

const read = (answer: unknown) => parseWithoutPrice(JSON.stringify(answer));

test.each([
  ["OpenRouter", { cost: 0.1, is_byok: false, cost_details: { upstream_inference_cost: 0.1 } }],
  ["xAI", { cost_in_usd_ticks: 123_456 }],
  ["Perplexity", { cost: { input_tokens_cost: 0.00002, total_cost: 0.00528 } }],
  ["Vercel's gateway", { cost: 0.005, market_cost: 0.00597 }],
  ["Dify", { prompt_unit_price: "0.001", prompt_price_unit: "0.001", total_price: "0.1" }],
  ["others", { totalCost: 1, costUsd: 2, estimated_cost_usd: 3, response_cost: 4, isByok: true }],
])("what %s says of its price is left out of its usage, wherever that stands", (_vendor, price) => {
  const usage = { prompt_tokens: 8, prompt_tokens_details: { cached_tokens: 1 } };
  const withPrice = { ...usage, ...price };
  const answers = (each: object) => [
    { usage: each },
    { usageMetadata: each },
    { x_groq: { usage: each } },
    { choices: [{ usage: each }, { delta: {}, usage: each }] },
    { type: "message_start", message: { usage: each } },
    { type: "response.completed", response: { usage: each, output: [] } },
    each,
  ];
  expect(answers(withPrice).map(read)).toEqual(answers(usage));
});

test("a gateway's corner of a message, of a delta, of the usage and of an event has none either", () => {
  const gateway = { routing: { model: "m" }, generationId: "g" };
  const priced = { gateway: { ...gateway, cost: "0.1", marketCost: "0.1" } };
  const answers = (corner: object, details: object, estimate: object) => [
    { choices: [{ message: { content: "x", provider_metadata: corner } }] },
    { choices: [{ delta: { providerMetadata: corner } }] },
    { copilot_usage: { token_details: [details] } },
    { usage: { input_tokens: 1, pydantic_ai_gateway: estimate } },
  ];
  expect(
    answers(priced, { cost_per_batch: 1, token_count: 2 }, { cost_estimate: 0.1, id: "x" }).map(read),
  ).toEqual(answers({ gateway }, { token_count: 2 }, { id: "x" }));
});

test("what a model says of costs and prices stays", () => {
  const args = { cost: 1, total_price: 2, usage: { cost: 3 } };
  const answers = [
    { choices: [{ message: { content: [{ cost: 1 }], tool_calls: [{ function: { arguments: args } }] } }] },
    { content: [{ type: "tool_use", input: args }] },
    { type: "content_block_start", content_block: { type: "tool_use", input: args } },
    { candidates: [{ content: { parts: [{ functionCall: { args } }] } }] },
    { response: { output: [{ type: "mcp_call", output: args }], metadata: { cost: "a client's own" } } },
    { results: [{ document: { price: 3, text: "x" } }] },
    { usage: { prompt_tokens: 8, costume: 1, accosted: 2, priceless: 3 } },
  ];
  expect(answers.map(read)).toEqual(answers);
});

test("nesting without an end is not followed", () => {
  const deep = `${'{"usage":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  expect(() => parseWithoutPrice(`{"cost":1,"usage":${deep}}`)).not.toThrow();
});

test.each([
  ["values", "1"],
  ["objects", '{"a":1}'],
])("counts of a million %s are no counts, and not looked through", (_what, each) => {
  const text = `{"usage":{"cost":1,"x":[${Array(1_000_000).fill(each).join()}]}}`;
  expect(() => parseWithoutPrice(text)).toThrow(SyntaxError);
});
