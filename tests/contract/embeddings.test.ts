import OpenAI7 from "openai";
import OpenAI6 from "openai-6";
import { describe, expect, test } from "vitest";
import { encodeFloats } from "@/server/protocol/embeddings/encoding";
import { eventually } from "@/tests/support/eventually";
import { staged } from "@/tests/support/per-file";
import { refuseWith, sendJson, type UpstreamHandler } from "@/tests/support/upstream";

/** A vector that depends on the text, in float32 values. */
const vectorOf = (text: unknown) => [0.25, -1.5, String(text).length];

/** An upstream that always answers in one encoding, whatever the request asks for. */
const answerIn =
  (encoding: "float" | "base64", more: object = {}): UpstreamHandler =>
  ({ body }, response) => {
    const vectors = (Array.isArray(body.input) ? body.input : [body.input]).map(vectorOf);
    const data = vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: encoding === "base64" ? encodeFloats(vector) : vector,
    }));
    const usage = { prompt_tokens: 1_000, total_tokens: 1_000 };
    sendJson(response, 200, { object: "list", data, model: body.model, usage, ...more });
  };

const { gateway, upstream } = staged(answerIn("float"));

/** A customer with its own model, whose upstream answers `answer`. */
async function setUp(answer: UpstreamHandler = answerIn("float")) {
  upstream.answer(answer);
  const model = await gateway.model({ kind: "embedding" });
  await gateway.channel({ model, models: { [model]: "vendor-embed" }, baseUrl: upstream.baseUrl });
  const customer = await gateway.customer();
  const embed = (fields: object) => gateway.post(customer.secret, "embeddings", { model, ...fields });
  return { model, embed, ...customer };
}

describe("POST /v1/embeddings", () => {
  test.each([
    ["of major 7", OpenAI7],
    ["of major 6", OpenAI6 as unknown as typeof OpenAI7],
  ])(
    "anything-llm#5794, docs-mcp-server#471: gives the official SDK %s, which asks for base64, correct vectors of an upstream that has only numbers",
    async (_, OpenAI) => {
      const { model, secret } = await setUp();
      const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
      const { data } = await client.embeddings.create({ model, input: ["a", "bb"] });
      expect(upstream.requests.at(-1)?.body.encoding_format).toBe("base64");
      expect(data.map((item) => Array.from(item.embedding))).toEqual([vectorOf("a"), vectorOf("bb")]);
    },
  );
});

test("base64, which OpenAI's clients ask for, is made of the numbers of an upstream that refuses it", async () => {
  const numbers = answerIn("float");
  const { embed, accountId } = await setUp((call, response, request) =>
    call.body.encoding_format === "base64"
      ? refuseWith(400, "encoding_format base64 is not supported")(call, response, request)
      : numbers(call, response, request),
  );
  const answer = await embed({ input: "a", encoding_format: "base64" });
  expect(await answer.json()).toMatchObject({ data: [{ embedding: encodeFloats(vectorOf("a")) }] });
  expect(await gateway.entries(accountId)).toMatchObject([{ kind: "capture", inputTokens: 1_000 }]);
});

describe("the price of an embeddings call", () => {
  test.each([
    ["the answer", (deep: unknown) => ({ note: deep })],
    ["its usage", (deep: unknown) => ({ usage: { prompt_tokens: 4, note: deep } })],
    [
      "an embedding",
      (deep: unknown) => ({ data: [{ object: "embedding", index: 0, embedding: [1], note: deep }] }),
    ],
  ])("is nothing if a field of %s is nested too deep to reach the client", async (_, nested) => {
    const { embed, accountId } = await setUp((_asked, response) => {
      const levels = 20_000;
      const text = JSON.stringify({
        ...{ object: "list", data: [{ object: "embedding", index: 0, embedding: [1] }], model: "m" },
        ...{ usage: { prompt_tokens: 4, total_tokens: 4 }, ...nested("DEEP") },
      });
      const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;
      response.writeHead(200, { "content-type": "application/json" }).end(text.replace('"DEEP"', deep));
    });
    expect((await embed({ input: "hi" })).status).toBe(502);
    await eventually(async () => (await gateway.entries(accountId)).map(({ kind }) => kind)).toEqual([
      "release",
    ]);
  });

  test("is nothing if the call fails, and the frozen money is returned", async () => {
    for (const { answer, shouldRetry } of [
      { answer: answerIn("float", { data: [] }), shouldRetry: "false" },
      { answer: answerIn("float", { data: [{ index: 0, embedding: "AAAA" }] }), shouldRetry: "false" },
      { answer: refuseWith(500), shouldRetry: null },
    ]) {
      const { embed, accountId } = await setUp(answer);
      const response = await embed({ input: "abc" });
      expect(response.status).toBe(502);
      expect(response.headers.get("x-should-retry")).toBe(shouldRetry);
      await eventually(() => gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
    }
  });
});
