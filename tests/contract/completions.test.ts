import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { collectItems } from "@/tests/support/collect-items";
import { perFile, servedModel, staged } from "@/tests/support/per-file";
import { answerWith, beginEvents, sendJson, usage } from "@/tests/support/upstream";

const { gateway, upstream } = staged(answerWith("It floats."));

async function setUp() {
  upstream.requests.length = 0;
  const model = await gateway.model();
  await gateway.channel({ model, models: { [model]: "vendors-own" }, baseUrl: upstream.baseUrl });
  const customer = await gateway.customer();
  const client = new OpenAI({ apiKey: customer.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  return { model, client, ...customer };
}

describe("POST /v1/completions", () => {
  test("is answered and charged as one turn of a conversation", async () => {
    const { model, client, accountId } = await setUp();
    const request = { model, prompt: "What floats?", max_tokens: 50, stop: "." };
    const answer = await client.completions.create(request);
    expect(answer).toMatchObject({
      object: "text_completion",
      model,
      choices: [{ index: 0, text: "It floats.", finish_reason: "stop", logprobs: null }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    expect(answer.id).toMatch(/^cmpl-/);
    expect(upstream.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      body: {
        model: "vendors-own",
        messages: [{ role: "user", content: "What floats?" }],
        max_tokens: 50,
        stop: ["."],
      },
    });
    expect(await gateway.entries(accountId)).toMatchObject([{ kind: "capture", amount: 20_000n }]);
  });

  test("streams the same text, with its usage if the client asks for it", async () => {
    const { model, client } = await setUp();
    const prompt = ["What floats?"] as [string];
    const request = { model, prompt, stream: true, stream_options: { include_usage: true } } as const;
    const chunks = await collectItems(await client.completions.create(request));
    const choices = chunks.flatMap((chunk) => chunk.choices);
    expect(choices.map(({ text }) => text).join("")).toBe("It floats.");
    expect(choices.flatMap(({ finish_reason }) => finish_reason ?? [])).toEqual(["stop"]);
    expect(chunks.at(-1)?.usage).toMatchObject({ total_tokens: 15 });
  });

  test.each([
    { prompt: "" },
    { prompt: [1, 2] },
    { prompt: ["a", ""] },
    { prompt: Array(65).fill("a"), n: 2 },
    { prompt: "a", suffix: "b" },
    { prompt: "a", echo: true },
    { prompt: "a", n: 0 },
    { prompt: "a", best_of: 3 },
    { prompt: "a", logprobs: 5 },
  ])("with %j is a 400 without an upstream call", async (fields) => {
    const { model, secret } = await setUp();
    const response = await gateway.post(secret, "completions", { model, ...fields });
    expect(response.status).toBe(400);
    expect(upstream.requests).toEqual([]);
  });
});

const parted = servedModel(
  { gateway, upstream },
  {},
  { capabilities: { severalAnswers: false, completions: true } },
);
const customer = perFile(() => gateway.customer());
const lastEntry = async () => (await gateway.entries(customer.accountId)).at(0);

describe("completions", () => {
  const complete = (fields: object) =>
    gateway.post(customer.secret, "completions", { model: parted, ...fields });

  test("for several prompts are as many calls, whose answers are in the prompts' order", async () => {
    upstream.answer((call, response, request) => {
      const [turn] = call.body.messages as { content: string }[];
      return answerWith(`after ${turn?.content}`)(call, response, request);
    });
    const response = await complete({ prompt: ["a", "b"], n: 2 });
    const { choices, usage: counts } = await response.json();
    expect(choices.map(({ text }: { text: string }) => text)).toEqual([
      "after a",
      "after a",
      "after b",
      "after b",
    ]);
    expect(choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3]);
    expect(counts).toMatchObject(usage(40, 20));
    expect(await lastEntry()).toMatchObject({ kind: "capture", amount: 80_000n });
  });

  test("with a suffix go to the upstream's own endpoint", async () => {
    upstream.answer((_call, response) =>
      sendJson(response, 200, {
        id: "c",
        choices: [{ index: 0, text: "b", finish_reason: "stop" }],
        usage: usage(4, 1),
      }),
    );
    const response = await complete({ prompt: "a", suffix: "c", max_tokens: 9, seed: 1 });
    expect(await response.json()).toMatchObject({ object: "text_completion", choices: [{ text: "b" }] });
    expect(upstream.requests.at(-1)).toMatchObject({
      path: "/v1/completions",
      body: { prompt: "a", suffix: "c", max_tokens: 9, seed: 1 },
    });
    expect(await lastEntry()).toMatchObject({ kind: "capture", amount: 6_000n });
  });

  test("with a suffix are streamed, too", async () => {
    upstream.answer((_call, response) => {
      const piece = (text: string, finish_reason: string | null) =>
        `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, text, finish_reason }], usage: null })}\n\n`;
      beginEvents(response, piece("b", null) + piece("b", "stop"));
      response.end(
        `data: ${JSON.stringify({ id: "c", choices: [], usage: usage(4, 2) })}\n\ndata: [DONE]\n\n`,
      );
    });
    const text = await (await complete({ prompt: "a", suffix: "c", stream: true })).text();
    expect(text.match(/"text":"b"/g)).toHaveLength(2);
    expect(await lastEntry()).toMatchObject({ kind: "capture", amount: 8_000n, usageSource: "upstream" });
  });
});
