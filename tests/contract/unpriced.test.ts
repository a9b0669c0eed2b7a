import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import type { TestGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { answerJson, answerWith, startUpstream, usage } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() =>
  startUpstream((call, ...rest) => {
    const data = [{ object: "embedding", index: 0, embedding: [0.25, 0.5] }];
    const counts = { prompt_tokens: 1, total_tokens: 1 };
    const isEmbedding = call.path === "/v1/embeddings";
    const vectors = answerJson({ object: "list", data, model: call.body.model, usage: counts });
    return (isEmbedding ? vectors : answerWith("hello", usage(2, 1)))(call, ...rest);
  }),
);

const unpriced = { inputPrice: nanos(0n), outputPrice: nanos(0n) };

async function serve(change: Parameters<TestGateway["model"]>[0]) {
  const model = await gateway.model(change);
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
  return model;
}

const embed = (secret: string, model: string) => gateway.post(secret, "embeddings", { model, input: "a" });

const talk = (secret: string, model: string, more: object = {}) =>
  gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }], ...more });

const onSale = async () => {
  const { data } = (await (await fetch(`${gateway.url}/v1/models`)).json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
};

describe("a model without a price", () => {
  test("is not sold: 404 for chat and embeddings, and not in the list", async () => {
    const chat = await serve(unpriced);
    // A model with only an output price cannot sell embeddings.
    const vectors = await serve({ kind: "embedding", inputPrice: nanos(0n), outputPrice: nanos(5n) });
    const { secret } = await gateway.customer({ quota: "0" });
    for (const [model, response] of [
      [chat, await talk(secret, chat)],
      [vectors, await embed(secret, vectors)],
    ] as const) {
      expect(response.status).toBe(404);
      const message = `模型 ${model} 不存在或未启用`;
      expect(await response.json()).toEqual({ code: 404, message, data: null });
    }
    expect(await onSale()).not.toContain(chat);
    expect(await onSale()).not.toContain(vectors);
    expect(upstream.requests.filter(({ body }) => body.model === chat || body.model === vectors)).toEqual([]);
  });

  test("is sold for nothing when the operator marks it as free, until it has a price", async () => {
    const model = await serve({ ...unpriced, isFree: true });
    const { secret, accountId } = await gateway.customer({ quota: "0" });
    expect((await talk(secret, model)).status).toBe(200);
    expect(await onSale()).toContain(model);
    expect((await gateway.balance(accountId)).used).toBe(0n);
    await gateway.model({ id: model, inputPrice: nanos(1n) });
    expect((await talk(secret, model)).status).toBe(402);
  });
});

describe("the money that is frozen for a call", () => {
  test("covers no more than the model's longest answer, which is the upstream's limit, too", async () => {
    const model = await serve({ maxOutputTokens: 4_096 });
    const { secret } = await gateway.customer({ quota: "0.01" });
    const [older, newer] = ["max_tokens", "max_completion_tokens"] as const;
    for (const names of [[older], [newer], [older, newer]]) {
      const limits = Object.fromEntries(names.map((name) => [name, 100_000_000]));
      const response = await talk(secret, model, limits);
      expect(response.status).toBe(200);
      expect(response.headers.get("x-output-capped")).toBe("4096");
      const body = upstream.requests.at(-1)?.body ?? {};
      expect(names.map((name) => body[name])).toEqual(names.map(() => 4_096));
    }
  });

  test("covers no more of an embedding of one token than the token and its margin", async () => {
    const model = await serve({ kind: "embedding" });
    const { secret, accountId } = await gateway.customer({ quota: "0.000002" });
    expect((await embed(secret, model)).status).toBe(200);
    expect((await gateway.balance(accountId)).used).toBe(1_000n);
  });
});

test("a lowered limit keeps a messages client's thinking budget below it", async () => {
  const model = await gateway.model({ maxOutputTokens: 4_096 });
  await gateway.channel({ model, dialect: "anthropic", baseUrl: upstream.baseUrl });
  const { secret } = await gateway.customer();
  await gateway.post(secret, "messages", {
    model,
    max_tokens: 32_000,
    thinking: { type: "enabled", budget_tokens: 31_999 },
    messages: [{ role: "user", content: "hi" }],
  });
  expect(upstream.requests.at(-1)?.body).toMatchObject({
    max_tokens: 4_096,
    thinking: { type: "enabled", budget_tokens: 4_095 },
  });
});
