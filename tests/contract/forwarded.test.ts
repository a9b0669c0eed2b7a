import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { sellerOf } from "@/tests/support/sold-model";
import { type Answer, refuseWith, sendJson, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(refuseWith(500)));

const setUp = sellerOf({ gateway, upstream });

const image =
  (more: object = {}): Answer =>
  (_asked, response) =>
    sendJson(response, 200, { created: 1, data: [{ b64_json: "AAAA" }], ...more });

describe("POST /v1/images/generations", () => {
  const prices = { "image:1024x1024:high": "0.2", "image:1024x1024": "0.04", "image:512x512": "0.01" };

  test("is forwarded in the client's words but for the model, and charged by what was made", async () => {
    const { model, post, charged } = await setUp("image", {
      prices,
      answer: image({ data: [{ url: "https://a.example/1" }, { url: "https://a.example/2" }] }),
    });
    const response = await post("images/generations", { prompt: "a boat", n: 2, size: "1024x1024", seed: 7 });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ created: 1, data: [{}, {}] });
    expect(upstream.asked[0]?.path).toBe("/v1/images/generations");
    expect(upstream.asked[0]?.body).toEqual({
      model: "vendors-own",
      prompt: "a boat",
      n: 2,
      size: "1024x1024",
      seed: 7,
    });
    expect(model).not.toBe("vendors-own");
    // Nobody named a quality: the dearest that there is for the size, as it was held.
    expect(await charged()).toEqual([
      { how: "capture", amount: 400_000_000n, units: { "image:1024x1024:high": 2 }, usageSource: "upstream" },
    ]);
  });

  test("costs what the answer says that it is", async () => {
    const { post, charged } = await setUp("image", {
      prices,
      answer: image({ size: "1024x1024", quality: "low" }),
    });
    expect((await post("images/generations", { prompt: "a boat", quality: "auto" })).status).toBe(200);
    expect(await charged()).toMatchObject([{ amount: 40_000_000n, units: { "image:1024x1024:low": 1 } }]);
  });

  test("Laisky/one-api PR#401: a size that has no price is refused before anybody is asked", async () => {
    const { post, charged } = await setUp("image", { prices, answer: image() });
    const response = await post("images/generations", {
      prompt: "a boat",
      size: "2048x2048",
      quality: "low",
    });
    expect(response.status).toBe(400);
    expect(upstream.asked).toEqual([]);
    expect(await charged()).toEqual([]);
  });

  test("of a model that is paid by tokens has its pictures apart from its text", async () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { text_tokens: 40, image_tokens: 60 },
      output_tokens: 4_160,
    };
    const { post, charged } = await setUp("image", {
      prices: { image_input: "10" },
      input: "5",
      output: "40",
      answer: image({ usage }),
    });
    expect((await post("images/generations", { prompt: "a boat" })).status).toBe(200);
    // 40 x 5 + 60 x 10 + 4,160 x 40, of a million.
    expect(await charged()).toMatchObject([{ amount: 167_200_000n, units: { image_input: 60 } }]);
  });

  test("nobody without the money gets one", async () => {
    const { post, charged } = await setUp("image", { prices, quota: "0.03", answer: image() });
    expect(
      (await post("images/generations", { prompt: "a boat", size: "1024x1024", quality: "low" })).status,
    ).toBe(402);
    expect(
      (await post("images/generations", { prompt: "a boat", size: "512x512", quality: "low", n: 3 })).status,
    ).toBe(200);
    expect(upstream.asked).toHaveLength(1);
    expect(await charged()).toMatchObject([{ how: "capture", amount: 10_000_000n }]);
  });

  test.each([
    {},
    { prompt: "" },
    { prompt: "a", n: 0 },
    { prompt: "a", n: 11 },
    { prompt: "a", stream: true },
  ])("with %j is a 400", async (fields) => {
    const { post } = await setUp("image", { prices, answer: image() });
    expect((await post("images/generations", fields)).status).toBe(400);
  });
});

describe("POST /v1/audio/speech", () => {
  const sound: Answer = (_asked, response) => {
    response.writeHead(200, { "content-type": "audio/mpeg" });
    response.end(Buffer.from([0xff, 0xfb, 0, 255]));
  };

  test("gives the sound as it is, and is paid by the character", async () => {
    const { model, secret, charged } = await setUp("speech", { prices: { character: "15" }, answer: sound });
    const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const spoken = await client.audio.speech.create({ model, voice: "alloy", input: "Hé, 你好 👋" });
    expect(spoken.headers.get("content-type")).toBe("audio/mpeg");
    expect([...new Uint8Array(await spoken.arrayBuffer())]).toEqual([0xff, 0xfb, 0, 255]);
    // 8 characters, of which a million cost 15.
    expect(await charged()).toEqual([
      { how: "capture", amount: 120_000n, units: { character: 8 }, usageSource: "request" },
    ]);
  });

  test.each([
    [
      "a page",
      (_asked, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    ],
    [
      "half of it",
      (_asked, response) => {
        response.writeHead(200, { "content-type": "audio/mpeg", "content-length": "100" });
        response.write("half", () => response.destroy());
      },
    ],
  ] satisfies [string, Answer][])(
    "of an upstream that sends %s is a 502 that costs nothing",
    async (_what, answer) => {
      const { post, charged } = await setUp("speech", { prices: { character: "15" }, answer });
      expect((await post("audio/speech", { voice: "alloy", input: "Hello" })).status).toBe(502);
      expect((await charged()).every(({ how }) => how === "release")).toBe(true);
    },
  );
});

describe("POST /v1/rerank", () => {
  const fields = {
    query: "What floats?",
    documents: ["A stone sinks.", { text: "A boat floats." }],
    top_n: 1,
  };
  const results = [{ index: 1, relevance_score: 0.98 }];

  test("of a vendor that counts search units has both shapes' members", async () => {
    const { model, post, charged } = await setUp("rerank", {
      prices: { rerank: "0.002" },
      answer: (_asked, response) =>
        sendJson(response, 200, { id: "r-1", results, meta: { billed_units: { search_units: 1 } } }),
    });
    const response = await post("rerank", fields);
    expect(await response.json()).toMatchObject({
      id: "r-1",
      model,
      results,
      usage: { total_tokens: expect.any(Number) },
    });
    expect(await charged()).toEqual([
      { how: "capture", amount: 2_000_000n, units: { rerank: 1 }, usageSource: "upstream" },
    ]);
  });

  test("of a vendor that counts tokens is paid by them, and Voyage's list is one of results", async () => {
    const { post, charged } = await setUp("rerank", {
      prices: {},
      input: "1",
      answer: (_asked, response) =>
        sendJson(response, 200, { object: "list", data: results, usage: { total_tokens: 26 } }),
    });
    expect(await (await post("rerank", fields)).json()).toMatchObject({ results });
    expect(await charged()).toMatchObject([{ amount: 26_000n, units: null }]);
  });

  test("where nobody counts is our own count of units", async () => {
    const { post, charged } = await setUp("rerank", {
      prices: { rerank: "0.002" },
      answer: (_asked, response) => sendJson(response, 200, { results }),
    });
    expect((await post("rerank", { ...fields, documents: Array(201).fill("text") })).status).toBe(200);
    expect(await charged()).toMatchObject([
      { amount: 6_000_000n, units: { rerank: 3 }, usageSource: "estimated" },
    ]);
  });

  test.each([{ query: "" }, { documents: [] }, { documents: [1] }, { documents: "text" }])(
    "with %j is a 400",
    async (wrong) => {
      const { post } = await setUp("rerank", { prices: { rerank: "1" }, answer: refuseWith(500) });
      expect((await post("rerank", { ...fields, ...wrong })).status).toBe(400);
    },
  );
});

describe("POST /v1/moderations", () => {
  const answer: Answer = ({ body }, response) =>
    sendJson(response, 200, { id: "modr-1", model: body.model, results: [{ flagged: false }] });

  test("of a free model costs nothing, and says the public name", async () => {
    const { model, post, charged } = await setUp("moderation", { prices: {}, free: true, answer });
    expect(await (await post("moderations", { input: "hello" })).json()).toEqual({
      id: "modr-1",
      model,
      results: [{ flagged: false }],
    });
    expect(await charged()).toMatchObject([{ how: "capture", amount: 0n, units: null }]);
  });
});

describe("a search of the web", () => {
  const searched: Answer = (_asked, response) =>
    sendJson(response, 200, {
      id: "c-1",
      object: "chat.completion",
      created: 1,
      model: "vendors-own",
      choices: [{ index: 0, message: { role: "assistant", content: "It floats." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500, num_search_queries: 3 },
    });
  const messages = [{ role: "user", content: "What floats?" }];

  test("is charged by the call where it has a price, and what is held has room for it", async () => {
    const { post, charged } = await setUp("chat", {
      prices: { web_search: "0.01" },
      input: "1",
      output: "2",
      answer: searched,
    });
    const response = await post("chat/completions", { messages, max_tokens: 500, web_search_options: {} });
    expect(response.status).toBe(200);
    expect(await charged()).toEqual([
      { how: "capture", amount: 32_000_000n, units: { web_search: 3 }, usageSource: "upstream" },
    ]);
  });

  test("nobody pays for who has no price for it", async () => {
    const { post, charged } = await setUp("chat", { prices: {}, input: "1", output: "2", answer: searched });
    expect(
      (await post("chat/completions", { messages, max_tokens: 500, web_search_options: {} })).status,
    ).toBe(200);
    expect(await charged()).toMatchObject([{ amount: 2_000_000n, units: null }]);
  });

  test("is what who cannot pay for it is not given", async () => {
    const { post } = await setUp("chat", {
      prices: { web_search: "0.01" },
      input: "1",
      output: "2",
      quota: "0.05",
      answer: searched,
    });
    const fields = { messages, max_tokens: 500 };
    expect((await post("chat/completions", { ...fields, web_search_options: {} })).status).toBe(402);
    expect((await post("chat/completions", fields)).status).toBe(200);
  });
});

describe("what an upstream says of its own price", () => {
  const priced = {
    cost: 77,
    response_cost: 77,
    usage: { total_tokens: 3, totalCost: 77, cost_details: { of: 77 } },
  };
  const answers = {
    "images/generations": ["image", { data: [{ b64_json: "AAAA" }] }, { prompt: "a boat" }],
    rerank: ["rerank", { results: [{ index: 0, relevance_score: 1 }] }, { query: "a", documents: ["b"] }],
    moderations: ["moderation", { results: [{ flagged: false }] }, { input: "a" }],
    embeddings: ["embedding", { data: [{ index: 0, embedding: [1] }] }, { input: "a" }],
  } as const;

  test.each(Object.entries(answers))("is nobody's in /v1/%s", async (path, [kind, said, fields]) => {
    const answer: Answer = (_asked, response) => sendJson(response, 200, { ...said, ...priced });
    const { post } = await setUp(kind, { prices: { "image:auto:auto": "0.1" }, free: true, answer });
    const response = await post(path, fields);
    expect(response.status).toBe(200);
    expect(await response.text()).not.toMatch(/cost/i);
  });
});
