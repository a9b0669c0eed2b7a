import { expect, test } from "vitest";
import { withoutVendorPrice } from "./vendor-price";

test.each([
  ["OpenRouter", { cost: 0.1, is_byok: false, cost_details: { upstream_inference_cost: 0.1 } }],
  ["xAI", { cost_in_usd_ticks: 123_456 }],
  ["Perplexity", { cost: { input_tokens_cost: 0.00002, total_cost: 0.00528 } }],
  ["Vercel's gateway", { cost: 0.005, market_cost: 0.00597 }],
])("what %s says of its price is left out of its usage", (_vendor, told) => {
  const usage = { prompt_tokens: 8, prompt_tokens_details: { cached_tokens: 1 } };
  expect(withoutVendorPrice({ ...usage, ...told })).toEqual(usage);
});

test("a usage without prices is the same object", () => {
  const usage = { prompt_tokens: 8, costume: 1, accosted: 2 };
  expect(withoutVendorPrice(usage)).toBe(usage);
});
