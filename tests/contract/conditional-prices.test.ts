import { describe, expect, test } from "vitest";
import { callQueries, modelQueries } from "@/server/queries";
import { callerFor } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { sellerOf } from "@/tests/support/sold-model";
import { answerJson, answerWith, refuseWith, startUpstream, usage } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(refuseWith(500)));
const setUp = sellerOf({ gateway, upstream });
const operator = perFile(() => callerFor(gateway, { role: "operator" }));
const messages = [{ role: "user", content: "What floats?" }];

/** Sells a model at prices with conditions, in currency units per million tokens. */
async function sell(conditional: Record<string, string>, sale: Parameters<typeof setUp>[1]) {
  const seller = await setUp("chat", sale);
  const { model: modelId } = seller;
  const cells = Object.entries(conditional).map(([name, price]) => ({ modelId, name, price }));
  await operator.prices.set({ cells });
  /** The charge of the newest call, as its drawer explains it. */
  const detail = async () => {
    await gateway.runtime.calls.flush();
    const { accountId } = seller;
    const [newest] = (
      await callQueries.list.read(gateway.runtime, callQueries.list.input.parse({ accountId }), "owner")
    ).rows;
    const requestId = newest?.requestId ?? "";
    return await callQueries.get.read(gateway.runtime, { requestId, accountId }, "owner");
  };
  return { ...seller, detail };
}

describe("a price that steps with the length of the prompt", () => {
  const steps = { "input@1k": "3", "output@1k": "5" };
  const sale = { prices: {}, input: "1", output: "2" };

  test.each([
    [1_000, false, { amount: 2_000_000n, conditions: null }],
    [1_001, false, { amount: 5_503_000n, conditions: { above: 1_000, tier: null, window: null } }],
    [1_001, true, { amount: 5_503_000n, conditions: { above: 1_000, tier: null, window: null } }],
  ])(
    "prices a whole call of %d tokens (stream: %s) at its step",
    async (prompt, stream, { amount, conditions }) => {
      const answer = answerWith("Wood.", usage(prompt, 500));
      const { post, charged, detail } = await sell(steps, { ...sale, answer });
      const answered = await post("chat/completions", { messages, max_tokens: 500, stream });
      await answered.text();
      expect(await charged()).toMatchObject([{ how: "capture", amount }]);
      const shown = await detail();
      expect(shown?.conditions).toEqual(conditions);
      expect(shown?.lines).toHaveLength(2);
    },
  );

  test("is refused to a customer who can pay the lower step only, if the prompt can reach the higher one", async () => {
    const answer = answerWith("Wood.", usage(5_000, 1));
    const { post } = await sell(steps, { ...sale, answer, quota: "0.012" });
    const long = [{ role: "user", content: "boat ".repeat(5_000) }];
    expect((await post("chat/completions", { messages: long, max_tokens: 1 })).status).toBe(402);
    expect((await post("chat/completions", { messages, max_tokens: 1 })).status).toBe(200);
  });

  test("is shown to customers", async () => {
    const { model, accountId } = await sell(steps, { ...sale, answer: answerJson({}) });
    const sold = await modelQueries.listOnSale.read(gateway.runtime, { accountId }, "owner");
    expect(sold.find(({ id }) => id === model)?.conditionalPrices).toEqual([
      { name: "input@1k", price: "3" },
      { name: "output@1k", price: "5" },
    ]);
  });
});

describe("a price of a service tier", () => {
  const counts = usage(1_000, 0);
  const answerAt = (service_tier: string) =>
    answerJson({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      service_tier,
      choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "stop" }],
      usage: counts,
    });

  test.each([
    ["default", 1_000_000n, null],
    ["flex", 500_000n, "flex"],
    ["priority", 2_000_000n, "priority"],
  ])("applies to the tier that the answer names: %s", async (tier, amount, named) => {
    const prices = { "input@flex": "0.5", "input@priority": "2" };
    const { post, charged, detail } = await sell(prices, { prices: {}, input: "1", answer: answerAt(tier) });
    expect((await post("chat/completions", { messages, max_tokens: 10 })).status).toBe(200);
    expect(await charged()).toMatchObject([{ amount }]);
    expect((await detail())?.conditions?.tier ?? null).toBe(named);
  });

  test("is frozen at the most expensive tier, unless the request names a cheaper one", async () => {
    const prices = { "output@priority": "1000" };
    const sale = { prices: {}, output: "1", quota: "0.05", answer: answerAt("default") };
    const { post } = await sell(prices, sale);
    expect((await post("chat/completions", { messages, max_tokens: 100 })).status).toBe(402);
    const named = { messages, max_tokens: 100, service_tier: "flex" };
    expect((await post("chat/completions", named)).status).toBe(200);
  });
});

test("a price of a daily window applies to calls that begin in it", async () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
  const answer = answerWith("Wood.", usage(1_000, 0));
  const inside = `input@${at(-60)}-${at(60)}`;
  const outside = `input@${at(120)}-${at(180)}`;
  const sale = { prices: {}, input: "1", output: "0", answer };
  const { post, charged, detail } = await sell({ [inside]: "0.5", [outside]: "9" }, sale);
  expect((await post("chat/completions", { messages, max_tokens: 10 })).status).toBe(200);
  expect(await charged()).toMatchObject([{ amount: 500_000n }]);
  expect((await detail())?.conditions).toMatchObject({ above: 0, tier: null, window: expect.anything() });
});

test("a background response has the window in which it was submitted", async () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
  const answer = answerWith("Wood.", usage(1_000, 0));
  const sale = { prices: {}, input: "1", output: "0", answer };
  const { post, charged, detail } = await sell({ [`input@${at(-60)}-${at(60)}`]: "0.5" }, sale);
  const submitted = { input: "What floats?", background: true, max_output_tokens: 16 };
  expect((await post("responses", submitted)).status).toBe(200);
  await gateway.runtime.backgroundRuns.work();
  await eventually(charged, 30_000).toMatchObject([{ amount: 500_000n }]);
  expect((await detail())?.conditions).toMatchObject({ above: 0, tier: null, window: expect.anything() });
});
