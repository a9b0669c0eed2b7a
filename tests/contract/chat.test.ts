import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { messages, perFile, served, servedModel } from "@/tests/support/per-file";
import { answerWith, usage } from "@/tests/support/upstream";

const { gateway, upstream, model } = served(answerWith("Hello there"), {}, { upstreamName: "vendor-name" });
const customer = perFile(() => gateway.customer());

describe("a chat completion", () => {
  test("is answered under the public model name and charged to the nano", async () => {
    const before = await gateway.balance(customer.accountId);
    const response = await gateway.chat(customer.secret, { model, messages });
    expect(await response.json()).toMatchObject({
      model,
      usage: usage(10, 5),
      choices: [{ message: { content: "Hello there" } }],
    });
    const after = await gateway.balance(customer.accountId);
    // 10 x 1/1e6 + 5 x 2/1e6 = 0.00002
    expect(after.used - before.used).toBe(20_000n);
    expect(after.frozen).toBe(0n);
    const [entry] = await gateway.entries(customer.accountId);
    const counted = { inputTokens: 10, outputTokens: 5, usageSource: "upstream" };
    expect(entry).toMatchObject({ kind: "capture", amount: 20_000n, ...counted });
  });

  test("reaches the upstream character by character as it was sent, except for the model", async () => {
    upstream.answer(answerWith("ok"));
    const body = `{ "seed": 12345678901234567890, "temperature": 1.0, "x_vendor": {"a": [1e5]},\n "model": ${JSON.stringify(model)}, "messages": [{"role":"user","content":"h\\u0069"}] }`;
    await gateway.chat(customer.secret, body);
    expect(upstream.requests.at(-1)?.raw).toBe(body.replace(JSON.stringify(model), '"vendor-name"'));
    expect(upstream.requests.at(-1)?.headers.authorization).toBe("Bearer upstream-secret");
  });

  test("charges cached input at its own price", async () => {
    const cached = await gateway.model({ cacheReadPrice: nanos(100_000_000n) });
    await gateway.channel({ model: cached, baseUrl: upstream.baseUrl });
    const counts = { ...usage(1_000, 0), prompt_tokens_details: { cached_tokens: 900 } };
    upstream.answer(answerWith("", counts));
    const response = await gateway.chat(customer.secret, { model: cached, messages });
    expect(await response.json()).toMatchObject({ usage: usage(1_000, 0) });
    // 100 x 1/1e6 + 900 x 0.1/1e6
    const [entry] = await gateway.entries(customer.accountId);
    expect(entry).toMatchObject({ amount: 190_000n, inputTokens: 100, cacheReadTokens: 900 });
  });
});

describe("the output limit", () => {
  /** The ceiling of 10,000 tokens costs 0.02. */
  const wide = servedModel({ gateway, upstream }, { maxOutputTokens: 10_000 });
  const outputOnly = servedModel({ gateway, upstream }, { maxOutputTokens: 10_000, inputPrice: nanos(0n) });
  const ask = async (quota: string, body: { model: string } & Record<string, unknown>) => {
    upstream.answer(answerWith("ok", usage(10, 1_000)));
    const { secret } = await gateway.customer({ quota });
    const response = await gateway.chat(secret, { messages, ...body });
    const capped = response.headers.get("x-quota-capped");
    const limit = response.status === 200 ? upstream.requests.at(-1)?.body.max_tokens : undefined;
    return { status: response.status, capped, sent: limit };
  };
  const refused = { status: 402, capped: null, sent: undefined };
  const served = (limit: number) => ({ status: 200, capped: null, sent: limit });
  const cappedAt = (limit: number) => ({ status: 200, capped: String(limit), sent: limit });

  const three = { model: outputOnly, max_tokens: 1_000, n: 3 };
  const both = { model: wide, max_completion_tokens: 1, max_tokens: 8_000 };
  const named = (max_tokens: number) => ({ model: wide, max_tokens });
  test.each([
    ["is capped to what is affordable when the client names none", "0.005", { model: wide }, cappedAt(2_478)],
    ["below 1,024 affordable tokens is a 402", "0.002", { model: wide }, refused],
    // Buys 6,002 tokens of output.
    [
      "that is capped is the limit of each of several answers",
      "0.012004",
      { model: outputOnly, n: 4 },
      cappedAt(1_500),
    ],
    // Buys 2,500 tokens of output.
    ["is frozen for each of several answers", "0.005", three, refused],
    ["is frozen for no more answers than were asked for", "0.005", { ...three, n: 2 }, served(1_000)],
    ["that the client named is never lowered for want of money", "0.005", named(10_000), refused],
    ["that the client named is frozen if the account can pay for it", "0.005", named(2_000), served(2_000)],
    [
      "is the larger of two that the client named, because the upstream may obey either",
      "0.005",
      both,
      refused,
    ],
  ])("%s", async (...[, quota, body, outcome]) => {
    expect(await ask(quota, body)).toEqual(outcome);
  });
});
