import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { parseLongAnswer } from "../answers/long-answer";
import { parseLongWithoutPrice, parseWithoutPrice } from "./vendor-price";

const read = (answer: unknown) => parseWithoutPrice(JSON.stringify(answer));

test.each([
  ["OpenRouter", { cost: 0.1, is_byok: false, cost_details: { upstream_inference_cost: 0.1 } }],
  ["xAI", { cost_in_usd_ticks: 123_456 }],
  ["Perplexity", { cost: { input_tokens_cost: 0.00002, total_cost: 0.00528 } }],
  ["Vercel's gateway", { cost: 0.005, market_cost: 0.00597 }],
  ["Dify", { prompt_unit_price: "0.001", prompt_price_unit: "0.001", total_price: "0.1" }],
  ["others", { totalCost: 1, costUsd: 2, estimated_cost_usd: 3, response_cost: 4, isByok: true }],
])("the price that %s adds to its usage is removed, wherever the usage is", (_vendor, price) => {
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

test.each(["data", "result", "response", "output"])(
  "the price in an envelope of the name %s is removed",
  (name) => {
    const [usage, priced] = [{ prompt_tokens: 8 }, { prompt_tokens: 8, cost: 0.1 }];
    const wrapped = (answer: object) => ({ [name]: answer, success: true });
    const answers = (each: object) => [
      wrapped({ choices: [], usage: each }),
      [wrapped({ choices: [], usage: each })],
      wrapped({ data: { result: { usageMetadata: each } } }),
    ];
    expect(answers(priced).map(read)).toEqual(answers(usage));
  },
);

test("the price in a gateway's own member of a message, a delta, the usage or an event is removed", () => {
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

test("a model's own words about costs and prices stay", () => {
  const args = { cost: 1, total_price: 2, usage: { cost: 3 } };
  const answers = [
    { choices: [{ message: { content: [{ cost: 1 }], tool_calls: [{ function: { arguments: args } }] } }] },
    { content: [{ type: "tool_use", input: args }] },
    { type: "content_block_start", content_block: { type: "tool_use", input: args } },
    { candidates: [{ content: { parts: [{ functionCall: { args } }] } }] },
    { response: { output: [{ type: "mcp_call", output: args }], metadata: { cost: "a client's own" } } },
    { data: { output: [{ type: "mcp_call", output: args }], choices: [{ message: { output: args } }] } },
    { results: [{ document: { price: 3, text: "x" } }] },
    { usage: { prompt_tokens: 8, costume: 1, accosted: 2, priceless: 3 } },
  ];
  expect(answers.map(read)).toEqual(answers);
});

test("endless nesting is not followed", () => {
  const deep = `${'{"usage":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  expect(() => parseWithoutPrice(`{"cost":1,"usage":${deep}}`)).not.toThrow();
});

test.each([
  ["values", "1"],
  ["objects", '{"a":1}'],
])("usage of a million %s is refused without a search for prices", (_what, each) => {
  const text = `{"usage":{"cost":1,"x":[${Array(1_000_000).fill(each).join()}]}}`;
  expect(() => parseWithoutPrice(text)).toThrow(SyntaxError);
});

test("a long answer in parts loses its price, wherever a part ends", () => {
  const text = JSON.stringify({ a: "b", usage: { total_price: 1, tokens: 2 } });
  for (let size = 1; size < text.length; size++) {
    const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    );
    const read = atOnce(parseLongWithoutPrice(parts, parseLongAnswer));
    expect(read).toEqual({ a: "b", usage: { tokens: 2 } });
  }
});
