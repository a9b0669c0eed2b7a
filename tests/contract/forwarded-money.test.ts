import { describe, expect, test } from "vitest";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { sellerOf } from "@/tests/support/sold-model";
import { type Answer, refuseWith, sendJson, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(refuseWith(500)));
const setUp = sellerOf({ gateway, upstream });

const answering =
  (body: object): Answer =>
  (_asked, response) =>
    sendJson(response, 200, body);

const picture = { b64_json: "AAAA" };
const prompt = "a boat";

describe("pictures", () => {
  test("of a model paid by tokens are held for as many as are asked for", async () => {
    // Each may have 1,000 tokens at 40 a million: 0.04, and ten of them 0.4.
    const { post, charged } = await setUp("image", {
      prices: {},
      input: "5",
      output: "40",
      quota: "0.3",
      answer: answering({ data: Array(10).fill(picture), usage: { input_tokens: 2, output_tokens: 10_000 } }),
    });
    expect((await post("images/generations", { prompt, n: 10 })).status).toBe(402);
    expect(upstream.asked).toEqual([]);
    expect(await charged()).toEqual([]);
  });

  test.each([
    { batch_size: 4 },
    { num_images: 4 },
    { sequential_image_generation: "auto", sequential_image_generation_options: { max_images: 4 } },
    { sequential_image_generation: "auto" },
  ])("are held for in whatever words they are asked for: %j", async (asked) => {
    const { post } = await setUp("image", {
      prices: { image: "0.1" },
      quota: "0.3",
      answer: answering({ data: [picture] }),
    });
    expect((await post("images/generations", { prompt, ...asked })).status).toBe(402);
    expect((await post("images/generations", { prompt })).status).toBe(200);
  });

  test.each([
    { batch_size: 0 },
    { batch_size: "4" },
    { num_images: 1e300 },
    { stream: "true" },
    { stream: 1 },
  ])("with %j, which some upstream would heed, are a 400", async (asked) => {
    const { post } = await setUp("image", { prices: { image: "0.1" }, answer: answering({ data: [] }) });
    expect((await post("images/generations", { prompt, ...asked })).status).toBe(400);
    expect(upstream.asked).toEqual([]);
  });

  test("that were not made cost nothing", async () => {
    const failed = { error: { code: "OutputImageSensitiveContentDetected", message: "no" }, url: "" };
    const { post, charged } = await setUp("image", {
      prices: { image: "0.1" },
      answer: answering({ data: [picture, failed, {}, { revised_prompt: "a boat" }] }),
    });
    expect((await post("images/generations", { prompt, n: 4 })).status).toBe(200);
    expect(await charged()).toMatchObject([{ amount: 100_000_000n, units: { image: 1 } }]);
  });

  test("more than were asked for are charged, and an alarm", async () => {
    const { post, charged } = await setUp("image", {
      prices: { image: "0.1" },
      answer: answering({ data: [picture, picture] }),
    });
    expect((await post("images/generations", { prompt })).status).toBe(200);
    expect(await charged()).toMatchObject([{ amount: 200_000_000n }]);
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(text).toMatch(/^tollgate_billing_incidents_total\{kind="above_hold"\} 1$/m);
  });
});

test.each([
  { kind: "image", path: "images/generations", fields: { prompt } },
  { kind: "rerank", path: "rerank", fields: { query: "q", documents: ["d"] } },
] as const)("$kind: no other model is named, and no dearer tier", async ({ kind, path, fields }) => {
  const answer = answering({ data: [picture], results: [] });
  const { post } = await setUp(kind, { prices: { request: "0.1" }, answer });
  const others = {
    models: ["dearer"],
    fallbacks: ["dearer"],
    service_tier: "priority",
    extra_body: { model: "dearer" },
  };
  expect((await post(path, { ...fields, ...others })).status).toBe(200);
  expect(upstream.asked[0]?.body).toMatchObject({
    model: "vendors-own",
    models: ["vendors-own"],
    fallbacks: [],
    service_tier: "default",
    extra_body: { model: "vendors-own" },
  });
});

describe("speech", () => {
  const saying =
    (type: string, bytes: number[]): Answer =>
    (_asked, response) =>
      void response.writeHead(200, { "content-type": type }).end(Buffer.from(bytes));
  const fields = { voice: "alloy", input: "Hello", speed: 1.5 };
  const prices = { character: "15" };

  test("of no length is none, and costs nothing", async () => {
    const { post, charged } = await setUp("speech", { prices, answer: saying("audio/mpeg", []) });
    expect((await post("audio/speech", fields)).status).toBe(502);
    expect((await charged()).every(({ how }) => how === "release")).toBe(true);
  });

  test("of the longest text there may be is counted beside other calls", async () => {
    const { post, charged } = await setUp("speech", { prices, answer: saying("audio/mpeg", [1]) });
    expect((await post("audio/speech", { ...fields, input: "👋".repeat(4_000_000) })).status).toBe(200);
    expect(await charged()).toMatchObject([{ units: { character: 4_000_000 }, amount: 60_000_000_000n }]);
  });
});

describe("a price of each request", () => {
  test("is enough to sell a chat model at, and is all that its call costs", async () => {
    const message = { role: "assistant", content: "hi" };
    const { post, charged } = await setUp("chat", {
      prices: { request: "0.01" },
      answer: answering({
        id: "c-1",
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
      }),
    });
    const messages = [{ role: "user", content: "hi" }];
    expect((await post("chat/completions", { messages })).status).toBe(200);
    expect(await charged()).toMatchObject([{ amount: 10_000_000n, units: { request: 1 } }]);
  });

  test("of searches alone is none for the words of a chat model", async () => {
    const { post } = await setUp("chat", { prices: { web_search: "0.01" }, answer: answering({}) });
    const messages = [{ role: "user", content: "hi" }];
    expect((await post("chat/completions", { messages })).status).toBe(404);
  });
});
