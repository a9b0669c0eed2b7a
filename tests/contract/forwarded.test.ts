import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { beforeEach, describe, expect, test } from "vitest";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { incidentsOf } from "@/tests/support/scraped-metrics";
import { sellerOf } from "@/tests/support/sold-model";
import { field, fileField, wavOf } from "@/tests/support/sound";
import {
  answerBytes,
  answerJson as answering,
  answerWith,
  beginEvents,
  refuseWith,
  sendJson,
  startUpstream,
  type UpstreamHandler,
  usage,
} from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(refuseWith(500)));
const setUp = sellerOf({ gateway, upstream });

const alarms = () => incidentsOf(gateway, "above_hold");
let before = 0;
beforeEach(async () => {
  before = await alarms();
});

const picture = { b64_json: "AAAA" };
const prompt = "a boat";
const inEvents =
  (data: string): UpstreamHandler =>
  (_asked, response) => {
    beginEvents(response, `data: ${data}\n\n`);
    response.end();
  };
const messages = [{ role: "user", content: "What floats?" }];

describe("POST /v1/images/generations", () => {
  test("is forwarded in the client's words except for the model, and charged by what was made", async () => {
    const { model, post, charged } = await setUp("image", {
      prices: { "image:1024x1024:high": "0.2", "image:1024x1024": "0.04", "image:512x512": "0.01" },
      answer: answering({ created: 1, data: [1, 2].map((at) => ({ url: `https://a.example/${at}` })) }),
    });
    const response = await post("images/generations", { prompt, n: 2, size: "1024x1024", seed: 7 });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ created: 1, data: [{}, {}] });
    expect(upstream.requests[0]?.path).toBe("/v1/images/generations");
    expect(upstream.requests[0]?.body).toEqual({
      ...{ model: "vendors-own", prompt, n: 2, size: "1024x1024", seed: 7 },
    });
    expect(model).not.toBe("vendors-own");
    // The call names no quality: the charge is the highest price of the size, as it was held.
    expect(await charged()).toMatchObject([
      { how: "capture", amount: 400_000_000n, units: { "image:1024x1024:high": 2 }, usageSource: "upstream" },
    ]);
  });

  test.each([true, false])(
    "is streamed with its partial pictures, and charged (to its end: %s)",
    async (isWhole) => {
      const event = (type: string, more: object) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: "AAAA", ...more })}\n\n`;
      const { post, charged } = await setUp("image", {
        ...{ prices: {}, input: "5", output: "40" },
        answer: (_asked, response) => {
          beginEvents(response, event("image_generation.partial_image", { partial_image_index: 0 }));
          const usage = { input_tokens: 10, output_tokens: 372 };
          response.end(isWhole ? event("image_generation.completed", { usage }) : "");
        },
      });
      const response = await post("images/generations", { prompt, stream: true, partial_images: 1 });
      expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
      const text = await response.text();
      expect(text).toContain("event: image_generation.partial_image\n");
      expect(text.includes("event: image_generation.completed\n")).toBe(isWhole);
      expect(text.includes('"error"')).toBe(!isWhole);
      expect(upstream.requests[0]?.body).toMatchObject({ stream: true, partial_images: 1 });
      // 10 x 5/1e6 + 372 x 40/1e6. A picture that broke off costs at most as much as one picture.
      const whole = { amount: 14_930_000n, usageSource: "upstream" };
      expect(await charged()).toMatchObject([isWhole ? whole : { usageSource: "estimated" }]);
    },
  );

  test.each([
    ["in one piece, however large", answering({ data: [{ b64_json: "A".repeat(17e6) }] }), 200, "capture"],
    ["as an error", answering({ error: { message: "no", code: 500 } }), 502, "release"],
    ["as an event that is too large", inEvents("A".repeat(17e6)), 502, "release"],
  ] as const)("is streamed if its vendor answers %s", async (...[_how, answer, status, how]) => {
    const { post, charged } = await setUp("image", { prices: { image: "0.1" }, answer });
    const response = await post("images/generations", { prompt, stream: true });
    expect(response.status).toBe(status);
    expect((await response.text()).startsWith("event: image_generation.completed\n")).toBe(status === 200);
    expect(await charged()).toMatchObject([{ how, amount: 100_000_000n }]);
  });

  test("has money frozen for all requested pictures, also by tokens", async () => {
    // Each may have 1,000 tokens at 40 per million: 0.04, and ten of them 0.4.
    const sale = { prices: {}, input: "5", output: "40", quota: "0.3", answer: answering({ data: [] }) };
    const { post, charged } = await setUp("image", sale);
    expect((await post("images/generations", { prompt, n: 10 })).status).toBe(402);
    expect(upstream.requests).toEqual([]);
    expect(await charged()).toEqual([]);
  });

  test("that makes more than was asked for is charged, and raises an alarm", async () => {
    const answer = answering({ data: [picture, picture] });
    const { post, charged } = await setUp("image", { prices: { image: "0.1" }, answer });
    expect((await post("images/generations", { prompt })).status).toBe(200);
    expect(await charged()).toMatchObject([{ amount: 200_000_000n }]);
    expect(await alarms()).toBe(before + 1);
  });

  test("names no other model and no more expensive tier to the upstream", async () => {
    const { post } = await setUp("image", {
      prices: { request: "0.1" },
      answer: answering({ data: [picture] }),
    });
    const others = { models: ["dearer"], service_tier: "priority", extra_body: { model: "dearer" } };
    expect((await post("images/generations", { prompt, ...others })).status).toBe(200);
    const own = { models: ["vendors-own"], service_tier: "default", extra_body: { model: "vendors-own" } };
    expect(upstream.requests[0]?.body).toMatchObject({ model: "vendors-own", ...own });
  });
});

test("Google's call for pictures goes to a channel that draws them, and is charged like its calls", async () => {
  const { model, secret, charged } = await setUp("image", {
    ...{ prices: { image: "0.1" }, answer: answering({ data: [picture, picture] }) },
  });
  const httpOptions = { baseUrl: gateway.url };
  const google = new GoogleGenAI({ vertexai: true, apiKey: secret, httpOptions });
  const config = { numberOfImages: 2, aspectRatio: "16:9" };
  const drawn = await google.models.generateImages({ model, prompt, config });
  expect(drawn.generatedImages?.map(({ image }) => image?.imageBytes)).toEqual(["AAAA", "AAAA"]);
  const size = "1536x1024";
  expect(upstream.requests[0]?.body).toEqual({
    ...{ model: "vendors-own", prompt, n: 2, size, response_format: "b64_json" },
  });
  expect(await charged()).toMatchObject([{ how: "capture", amount: 200_000_000n, units: { image: 2 } }]);
});

describe("POST /v1/audio/speech", () => {
  const prices = { character: "15" };
  const saying = (type: string, bytes: number[]) =>
    answerBytes(200, { "content-type": type }, Buffer.from(bytes));

  test("returns the sound as it is, and is charged by the character", async () => {
    const sound = [0xff, 0xfb, 0, 255];
    const { model, secret, charged } = await setUp("speech", { prices, answer: saying("audio/mpeg", sound) });
    const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const spoken = await client.audio.speech.create({ model, voice: "alloy", input: "Hé, 你好 👋" });
    expect(spoken.headers.get("content-type")).toBe("audio/mpeg");
    expect([...new Uint8Array(await spoken.arrayBuffer())]).toEqual(sound);
    // 8 characters at 15 per million.
    expect(await charged()).toMatchObject([
      { how: "capture", amount: 120_000n, units: { character: 8 }, usageSource: "request" },
    ]);
  });

  const half: UpstreamHandler = (_asked, response) => {
    response.writeHead(200, { "content-type": "audio/mpeg", "content-length": "100" });
    response.write("half", () => response.destroy());
  };
  test.each<[string, UpstreamHandler]>([
    ["an HTML page", saying("text/html", [60])],
    ["half of the sound", half],
    ["empty sound", saying("audio/mpeg", [])],
  ])("of an upstream that sends %s is a 502 that costs nothing", async (_what, answer) => {
    const { post, charged } = await setUp("speech", { prices, answer });
    expect((await post("audio/speech", { voice: "alloy", input: "Hello" })).status).toBe(502);
    expect((await charged()).every(({ how }) => how === "release")).toBe(true);
  });

  test("of the longest possible text is charged by its characters", async () => {
    const { post, charged } = await setUp("speech", { prices, answer: saying("audio/mpeg", [1]) });
    const input = "👋".repeat(4_000_000);
    expect((await post("audio/speech", { voice: "alloy", input })).status).toBe(200);
    expect(await charged()).toMatchObject([{ units: { character: 4_000_000 }, amount: 60_000_000_000n }]);
  });
});

test("POST /v1/rerank is charged by the search unit", async () => {
  const results = [{ index: 1, relevance_score: 0.98 }];
  const { model, post, charged } = await setUp("rerank", {
    prices: { rerank: "0.002" },
    answer: answering({ id: "r-1", results, meta: { billed_units: { search_units: 1 } } }),
  });
  const documents = ["A stone.", { text: "A boat." }];
  const response = await post("rerank", { query: "What floats?", documents });
  expect(await response.json()).toMatchObject({ id: "r-1", model, results });
  expect(await charged()).toMatchObject([
    { how: "capture", amount: 2_000_000n, units: { rerank: 1 }, usageSource: "upstream" },
  ]);
});

test("POST /v1/moderations without a model is answered by one that the key may call", async () => {
  const answer = answering({ model: "vendors-own", results: [{ flagged: true }] });
  const named = await setUp("moderation", { prices: {}, free: true, answer });
  const { secret } = await gateway.customer({ models: [named.model] });
  const response = await gateway.post(secret, "moderations", { input: "hello" });
  expect([response.status, await response.json()]).toMatchObject([200, { model: named.model }]);
  const other = await gateway.customer({ models: ["another"] });
  const refused = await gateway.post(other.secret, "moderations", { input: "hello" });
  expect([refused.status, refused.headers.get("x-error-code")]).toEqual([400, "missing_model"]);
});

test("POST /v1/moderations of a free model costs nothing, and names the public model", async () => {
  const answer: UpstreamHandler = ({ body }, response) =>
    sendJson(response, 200, { id: "modr-1", model: body.model, results: [{ flagged: false }] });
  const { model, post, charged } = await setUp("moderation", { prices: {}, free: true, answer });
  const result = await (await post("moderations", { input: "hello" })).json();
  expect(result).toEqual({ id: "modr-1", model, results: [{ flagged: false }] });
  expect(await charged()).toMatchObject([{ how: "capture", amount: 0n, units: null }]);
});

describe("an upstream's own price", () => {
  const counted = { total_tokens: 3, totalCost: 77, cost_details: { of: 77 } };
  const priced = { cost: 77, response_cost: 77, usage: counted };
  const answers = {
    "images/generations": ["image", { data: [picture] }, { prompt }],
    rerank: ["rerank", { results: [{ index: 0, relevance_score: 1 }] }, { query: "a", documents: ["b"] }],
    moderations: ["moderation", { results: [{ flagged: false }] }, { input: "a" }],
    embeddings: ["embedding", { data: [{ index: 0, embedding: [1] }] }, { input: "a" }],
  } as const;

  test.each(Object.entries(answers))("reaches no client of /v1/%s", async (path, [kind, result, fields]) => {
    const answer = answering({ ...result, ...priced });
    const { post } = await setUp(kind, { prices: { "image:auto:auto": "0.1" }, free: true, answer });
    const response = await post(path, fields);
    expect(response.status).toBe(200);
    expect(await response.text()).not.toMatch(/cost/i);
  });
});

describe("an upstream's impossible counts are charged at most as frozen, with an alarm", () => {
  /** The one charge of an account, at most the frozen amount, and an alarm. */
  async function chargedAsFrozen(accountId: Parameters<typeof gateway.entries>[0]) {
    expect(await gateway.verify()).toEqual([]);
    const entries = await gateway.entries(accountId);
    expect(entries).toMatchObject([{ kind: "capture", note: "counts not believed, above hold" }]);
    const [entry] = entries;
    expect(Number(entry?.amount)).toBeGreaterThan(0);
    expect(Number(entry?.amount)).toBeLessThanOrEqual(Number(entry?.held));
    expect(await alarms()).toBe(before + 1);
    return entry;
  }

  test.each([false, true])("of a conversation (stream: %s)", async (stream) => {
    const answer = answerWith("A boat.", usage(1_000_000_000, 1_000_000_000));
    const { post, accountId } = await setUp("chat", { prices: {}, input: "1", output: "2", answer });
    const include = { usage: { include: true } };
    const response = await post("chat/completions", { messages, stream, max_tokens: 900, ...include });
    const text = await response.text();
    const entry = await chargedAsFrozen(accountId);
    // The cost in the answer is the charge.
    expect(Number(/"cost":([\d.e-]+)/.exec(text)?.[1])).toBe(Number(entry?.amount) / 1e9);
  });

  test("of pictures", async () => {
    const answer = answering({ data: Array(500).fill(picture) });
    const { post, accountId } = await setUp("image", { prices: { image: "0.1" }, answer });
    expect((await post("images/generations", { prompt })).status).toBe(200);
    await chargedAsFrozen(accountId);
  });

  test("of a transcript", async () => {
    const answer = answering({ text: "Hello.", usage: { type: "duration", seconds: 9_999_999 } });
    const sale = { prices: { second: "0.006" }, answer };
    const { model, postForm, accountId } = await setUp("transcription", sale);
    const response = await postForm([field("model", model), fileField("file", wavOf(1))]);
    expect(response.status).toBe(200);
    await chargedAsFrozen(accountId);
  });
});
