import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { eventually } from "@/tests/support/eventually";
import { perFile, servedModel } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { type Answer, answerWith, sendJson, startUpstream, usage } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const model = servedModel({ gateway, upstream }, {}, { upstreamName: "vendor-name" });
const customer = perFile(() => gateway.customer());

const messages = [{ role: "user", content: "hi" }];

async function readAnswer(answer: Answer, body: object = {}) {
  upstream.answer(answer);
  const response = await gateway.chat(customer.secret, { model, messages, ...body });
  return (await response.json()) as {
    choices: { message: Record<string, unknown>; finish_reason: string }[];
    usage: unknown;
    model: string;
  };
}

const completion = (message: object, more: object = {}) => ({
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "vendor-name",
  choices: [{ index: 0, message, finish_reason: "stop", ...more }],
  usage: usage(10, 5),
});

describe("a chat completion", () => {
  test("is answered under the public model name and charged to the nano", async () => {
    const before = await gateway.balance(customer.accountId);
    const body = await readAnswer(answerWith("Hello there"));
    expect(body).toMatchObject({
      model,
      usage: usage(10, 5),
      choices: [{ message: { content: "Hello there" } }],
    });
    const after = await gateway.balance(customer.accountId);
    // 10 x 1/1e6 + 5 x 2/1e6 = 0.00002
    expect(after.used - before.used).toBe(20_000n);
    expect(after.frozen).toBe(0n);
    const [entry] = await gateway.entries(customer.accountId);
    expect(entry).toMatchObject({
      kind: "capture",
      amount: 20000n,
      inputTokens: 10,
      outputTokens: 5,
      usageSource: "upstream",
    });
  });

  test("reaches the upstream character by character as it was sent, but for the model", async () => {
    upstream.answer(answerWith("ok"));
    const sent = `{ "seed": 12345678901234567890, "temperature": 1.0, "x_vendor": {"a": [1e5]},\n "model": ${JSON.stringify(model)}, "messages": [{"role":"user","content":"h\\u0069"}] }`;
    await gateway.chat(customer.secret, sent);
    expect(upstream.asked.at(-1)?.raw).toBe(sent.replace(JSON.stringify(model), '"vendor-name"'));
    expect(upstream.asked.at(-1)?.headers.authorization).toBe("Bearer upstream-secret");
  });

  test("without usage is estimated, and the charge says so", async () => {
    const body = await readAnswer((_asked, response) => {
      const { usage: _, ...rest } = completion({
        role: "assistant",
        content: "four score and seven years ago",
      });
      sendJson(response, 200, rest);
    });
    expect(body.usage).toMatchObject({
      completion_tokens: expect.toSatisfy((count: number) => count >= 5 && count <= 9),
    });
    expect((await gateway.entries(customer.accountId))[0]).toMatchObject({
      kind: "capture",
      usageSource: "estimated",
    });
  });

  test("charges cached input at its own price", async () => {
    const cached = await gateway.model({ cacheReadPrice: nanos(100_000_000n) });
    await gateway.channel({ model: cached, baseUrl: upstream.baseUrl });
    upstream.answer((_asked, response) =>
      sendJson(response, 200, {
        ...completion({ role: "assistant", content: "" }),
        usage: { ...usage(1_000, 0), prompt_tokens_details: { cached_tokens: 900 } },
      }),
    );
    const response = await gateway.chat(customer.secret, { model: cached, messages });
    expect(await response.json()).toMatchObject({ usage: usage(1_000, 0) });
    // 100 x 1/1e6 + 900 x 0.1/1e6
    expect((await gateway.entries(customer.accountId))[0]).toMatchObject({
      amount: 190000n,
      inputTokens: 100,
      cacheReadTokens: 900,
    });
  });

  test("sub2api#4408: that a client abandons before an answer costs nothing", async () => {
    const { secret: other, accountId: otherAccount } = await gateway.customer();
    const before = upstream.asked.length;
    let hungUp = false;
    upstream.answer((_asked, response) => void response.once("close", () => (hungUp = true)));
    const abort = new AbortController();
    const call = gateway.chat(other, { model, messages }, { signal: abort.signal });
    await eventually(() => upstream.asked.length).toBeGreaterThan(before);
    expect((await gateway.balance(otherAccount)).frozen).toBeGreaterThan(0n);
    abort.abort();
    await expect(call).rejects.toThrow();
    await eventually(() => hungUp).toBe(true);
    await eventually(() => gateway.balance(otherAccount)).toMatchObject({ used: 0n, frozen: 0n });
  });
});

describe("the output limit", () => {
  test("is capped to what is affordable when the client names none, and the header says so", async () => {
    // The ceiling of 10,000 tokens costs 0.02; the quota buys about 2,400.
    const wide = await gateway.model({ maxOutputTokens: 10_000 });
    await gateway.channel({ model: wide, baseUrl: upstream.baseUrl });
    const poor = await gateway.customer({ quota: "0.005" });
    upstream.answer(answerWith("ok"));
    const response = await gateway.chat(poor.secret, { model: wide, messages });
    expect(response.status).toBe(200);
    const cap = Number(response.headers.get("x-quota-capped"));
    expect(cap).toBeGreaterThan(2_300);
    expect(cap).toBeLessThan(2_500);
    expect(upstream.asked.at(-1)?.body.max_tokens).toBe(cap);
  });

  test("that is capped is what each of several answers may come to: all of them together are affordable", async () => {
    const outputOnly = { maxOutputTokens: 10_000, inputPrice: nanos(0n), outputPrice: nanos(2_000_000_000n) };
    const wide = await gateway.model(outputOnly);
    await gateway.channel({ model: wide, baseUrl: upstream.baseUrl });
    // Buys 6,002 tokens of output.
    const poor = await gateway.customer({ quota: "0.012004" });
    upstream.answer(answerWith("ok", usage(10, 6_000)));
    const response = await gateway.chat(poor.secret, { model: wide, messages, n: 4 });
    expect(response.headers.get("x-quota-capped")).toBe("1500");
    expect(upstream.asked.at(-1)?.body.max_tokens).toBe(1_500);
    expect((await gateway.balance(poor.accountId)).available).toBe(4_000n);
  });

  test("is frozen for each of several answers", async () => {
    const outputOnly = { maxOutputTokens: 10_000, inputPrice: nanos(0n), outputPrice: nanos(2_000_000_000n) };
    const wide = await gateway.model(outputOnly);
    await gateway.channel({ model: wide, baseUrl: upstream.baseUrl });
    // Buys 2,500 tokens of output.
    const poor = await gateway.customer({ quota: "0.005" });
    upstream.answer(answerWith("ok", usage(10, 1_000)));
    const ask = async (n: number) =>
      (await gateway.chat(poor.secret, { model: wide, messages, max_tokens: 1_000, n })).status;
    expect([await ask(3), await ask(2)]).toEqual([402, 200]);
  });

  test("is never lowered for want of money when the client named it: then it is held or refused", async () => {
    const wide = await gateway.model({ maxOutputTokens: 10_000 });
    await gateway.channel({ model: wide, baseUrl: upstream.baseUrl });
    const poor = await gateway.customer({ quota: "0.005" });
    upstream.answer(answerWith("ok"));
    expect((await gateway.chat(poor.secret, { model: wide, messages, max_tokens: 10_000 })).status).toBe(402);
    expect(
      (await gateway.chat(poor.secret, { model: wide, messages, max_tokens: 2_000 })).headers.get(
        "x-quota-capped",
      ),
    ).toBeNull();
  });

  test("of a client that names two is the larger one, for the upstream may obey either", async () => {
    const poor = await gateway.customer({ quota: "0.005" });
    const wide = await gateway.model({ maxOutputTokens: 10_000 });
    const both = { model: wide, messages, max_completion_tokens: 1, max_tokens: 8_000 };
    expect((await gateway.chat(poor.secret, both)).status).toBe(402);
  });

  test("below 1,024 affordable tokens is a 402", async () => {
    const wide = await gateway.model({ maxOutputTokens: 10_000 });
    await gateway.channel({ model: wide, baseUrl: upstream.baseUrl });
    const poor = await gateway.customer({ quota: "0.002" });
    expect((await gateway.chat(poor.secret, { model: wide, messages })).status).toBe(402);
  });

  test("that is driven over by the upstream is charged in full and recorded as such", async () => {
    const customer = await gateway.customer({ quota: "0.0001" });
    upstream.answer(answerWith("ok", usage(10, 5_000)));
    expect((await gateway.chat(customer.secret, { model, messages, max_tokens: 20 })).status).toBe(200);
    const [entry] = await gateway.entries(customer.accountId);
    expect(BigInt(entry?.amount ?? 0)).toBeGreaterThan(BigInt(entry?.held ?? 0));
    expect(await gateway.verify()).toEqual([]);
    expect((await gateway.chat(customer.secret, { model, messages, max_tokens: 20 })).status).toBe(402);
  });
});

test("what is frozen for a prompt is our estimate of it, 30 % more, and what vendors add to a conversation", async () => {
  const inputOnly = await gateway.model({ inputPrice: nanos(1_000_000_000n), outputPrice: nanos(0n) });
  await gateway.channel({ model: inputOnly, baseUrl: upstream.baseUrl });
  const { secret, accountId } = await gateway.customer();
  // A prompt of zero is no count, so the estimate is what is charged.
  upstream.answer(answerWith("ok", usage(0, 5)));
  const long = [{ role: "user", content: "a cat crosses a bridge ".repeat(100) }];
  expect((await gateway.chat(secret, { model: inputOnly, messages: long })).status).toBe(200);
  const [entry] = await gateway.entries(accountId);
  const estimate = Number(entry?.inputTokens);
  expect(estimate).toBeGreaterThan(300);
  expect(entry?.held).toBe(BigInt((Math.ceil(estimate * 1.3) + 32) * 1_000));
});
