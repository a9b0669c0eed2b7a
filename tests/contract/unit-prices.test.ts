import { describe, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { sellerOf } from "@/tests/support/sold-model";
import { answerJson, answerWith, refuseWith, startUpstream, usage } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(refuseWith(500)));
const setUp = sellerOf({ gateway, upstream });
const messages = [{ role: "user", content: "What floats?" }];

describe("a search of the web", () => {
  const counts = { ...usage(1_000, 500), num_search_queries: 3 };
  const sale = { input: "1", output: "2", answer: answerWith("It floats.", counts) };
  const fields = { messages, max_tokens: 500, web_search_options: {} };

  const bought = { amount: 32_000_000n, units: { web_search: 3 } };
  test.each([
    ["is charged by the search if it has a price", "0.01", bought],
    ["costs nothing if it has no price", null, { amount: 2_000_000n, units: null }],
  ])("%s", async (_what, price, charge) => {
    const prices = { ...(price && { web_search: price }) };
    const { post, charged } = await setUp("chat", { prices, ...sale });
    expect((await post("chat/completions", fields)).status).toBe(200);
    expect(await charged()).toMatchObject([{ how: "capture", ...charge, usageSource: "upstream" }]);
  });

  test("is refused to a customer who cannot pay for it", async () => {
    const { post } = await setUp("chat", { prices: { web_search: "0.01" }, quota: "0.05", ...sale });
    expect((await post("chat/completions", fields)).status).toBe(402);
    expect((await post("chat/completions", { messages, max_tokens: 500 })).status).toBe(200);
  });
});

describe("a unit price", () => {
  test("of each request is enough to sell a chat model, and is all that its call costs", async () => {
    const { post, charged } = await setUp("chat", { prices: { request: "0.01" }, answer: answerWith("hi") });
    expect((await post("chat/completions", { messages })).status).toBe(200);
    expect(await charged()).toMatchObject([{ amount: 10_000_000n, units: { request: 1 } }]);
  });

  test("of searches alone does not sell a chat model", async () => {
    const { post } = await setUp("chat", { prices: { web_search: "0.01" }, answer: answerJson({}) });
    expect((await post("chat/completions", { messages })).status).toBe(404);
  });
});
