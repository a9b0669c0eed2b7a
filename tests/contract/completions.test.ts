import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { allOf } from "@/tests/support/all-of";
import { staged } from "@/tests/support/per-file";
import { answerWith } from "@/tests/support/upstream";

const { gateway, upstream } = staged(answerWith("It floats."));

async function setUp() {
  upstream.asked.length = 0;
  const model = await gateway.model();
  await gateway.channel({ model, models: { [model]: "vendors-own" }, baseUrl: upstream.baseUrl });
  const customer = await gateway.customer();
  const client = new OpenAI({ apiKey: customer.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  return { model, client, ...customer };
}

describe("POST /v1/completions", () => {
  test("is one turn of a conversation, answered and charged as one", async () => {
    const { model, client, accountId } = await setUp();
    const asked = { model, prompt: "What floats?", max_tokens: 50, stop: "." };
    const answer = await client.completions.create(asked);
    expect(answer).toMatchObject({
      object: "text_completion",
      model,
      choices: [{ index: 0, text: "It floats.", finish_reason: "stop", logprobs: null }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    expect(answer.id).toMatch(/^cmpl-/);
    expect(upstream.asked[0]).toMatchObject({
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

  test("streams the same text, with its usage where it is asked for", async () => {
    const { model, client } = await setUp();
    const prompt = ["What floats?"] as [string];
    const asked = { model, prompt, stream: true, stream_options: { include_usage: true } } as const;
    const chunks = await allOf(await client.completions.create(asked));
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
  ])("with %j is a 400 that asks nobody", async (fields) => {
    const { model, secret } = await setUp();
    const response = await gateway.post(secret, "completions", { model, ...fields });
    expect(response.status).toBe(400);
    expect(upstream.asked).toEqual([]);
  });
});
