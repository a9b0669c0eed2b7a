import OpenAI, { toFile } from "openai";
import OpenAI6 from "openai-6";
import { describe, expect, test } from "vitest";
import { parseForm } from "@/server/protocol/multipart/form";
import { collectItems } from "@/tests/support/collect-items";
import { staged } from "@/tests/support/per-file";
import { sellerOf } from "@/tests/support/sold-model";
import { field, fileField, wavOf } from "@/tests/support/sound";
import {
  answerEvents,
  answerJson,
  breakAfter,
  refuseWith,
  sseChunk,
  type UpstreamHandler,
} from "@/tests/support/upstream";

const { gateway, upstream } = staged(refuseWith(500));

const seller = sellerOf({ gateway, upstream });
const PER_MINUTE = { second: "0.006" };
/** Priced by tokens; sound and text have different prices. */
const BY_TOKEN = { prices: { audio_input: "6" }, input: "2.5", output: "10" };

async function setUp(answer: UpstreamHandler, sold: Partial<Parameters<typeof seller>[1]> = {}) {
  const { postForm, ...sale } = await seller("transcription", { prices: PER_MINUTE, ...sold, answer });
  const options = { apiKey: sale.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 };
  const client6 = new OpenAI6(options) as unknown as OpenAI;
  return { ...sale, post: postForm, client: new OpenAI(options), client6 };
}

/** The parts of the last upstream request; its file is shown by its length. */
function lastForm(): Record<string, string> {
  const { headers, bytes } = upstream.requests.at(-1) ?? {};
  const [, boundary = ""] = /boundary="?([^"]+)"?$/.exec(headers?.["content-type"] ?? "") ?? [];
  const form = parseForm(bytes ?? Buffer.alloc(0), boundary);
  return Object.fromEntries(
    form.parts.map(({ name, isFile, start, end }) => [
      name,
      isFile ? `${end - start} bytes` : form.bytes.toString("utf8", start, end),
    ]),
  );
}

const answerWithUsage = answerJson({ text: "Hello.", usage: { type: "duration", seconds: 3 } });
/** An answer of a vendor that counts nothing. */
const answerWithoutUsage = answerJson({ text: "Hello." });

const segments = [
  { id: 0, start: 0, end: 1.7000000476837158, text: " Hello, world!" },
  { id: 1, start: 3_661.5, end: 3_662.007, text: " A --> b." },
];
const verbose = answerJson({
  ...{ task: "transcribe", language: "english", duration: 2.4000000953674316 },
  ...{ text: "Hello, world!", segments },
});

describe("POST /v1/audio/transcriptions", () => {
  test.each(["client", "client6"] as const)(
    "takes what the official SDK sends (%s), and charges the seconds that the upstream counts",
    async (which) => {
      const sold = await setUp(answerWithUsage);
      const file = await toFile(wavOf(2.5), "speech.wav");
      const transcription = await sold[which].audio.transcriptions.create({
        model: sold.model,
        file,
        language: "en",
      });
      expect(transcription).toMatchObject({ text: "Hello.", usage: { type: "duration", seconds: 3 } });
      expect(upstream.requests[0]?.path).toBe("/v1/audio/transcriptions");
      expect(lastForm()).toEqual({ model: "vendors-own", file: "40044 bytes", language: "en" });
      // 3 seconds at 0.006 a minute.
      expect(await sold.charged()).toMatchObject([
        { amount: 300_000n, units: { second: 3 }, inputTokens: 0, outputTokens: 0, usageSource: "upstream" },
      ]);
    },
  );

  test("hides the vendor's own price, whole or streamed", async () => {
    const costs = { usage: { type: "duration", seconds: 1, cost: 77 }, response_cost: 77 };
    const { model, post } = await setUp(answerJson({ text: "What does it cost?", ...costs }));
    const file = fileField("file", wavOf(1));
    const whole = await post([field("model", model), file]);
    expect(await whole.json()).toEqual({
      text: "What does it cost?",
      usage: { type: "duration", seconds: 1 },
    });
    const done = { type: "transcript.text.done", text: "What does it cost?", ...costs };
    upstream.answer(answerEvents(sseChunk(done), "data: [DONE]\n\n"));
    const streamed = await post([field("model", model), field("stream", "true"), file]);
    const text = await streamed.text();
    expect(text).toContain("What does it cost?");
    expect(text).not.toContain("77");
  });

  const srt =
    "1\n00:00:00,000 --> 00:00:01,700\nHello, world!\n\n2\n01:01:01,500 --> 01:01:02,007\nA -> b.\n\n\n";
  const vtt =
    "WEBVTT\n\n00:00:00.000 --> 00:00:01.700\nHello, world!\n\n01:01:01.500 --> 01:01:02.007\nA -> b.\n\n";
  test.each([
    ["text", "json", "Hello, world!\n"],
    ["srt", "verbose_json", srt],
    ["vtt", "verbose_json", vtt],
  ])(
    "aisix#868: as %s is no cheaper, because the upstream is asked for a form that counts",
    async (format, askedFor, body) => {
      const { model, post, charged } = await setUp(verbose);
      const file = fileField("file", wavOf(1));
      const response = await post([field("response_format", format), field("model", model), file]);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(await response.text()).toBe(body);
      expect(lastForm().response_format).toBe(askedFor);
      expect(await charged()).toMatchObject([
        { amount: 300_000n, units: { second: 3 }, usageSource: "upstream" },
      ]);
    },
  );

  test("is charged by our own measurement of the file if the upstream counts nothing", async () => {
    const { model, post, charged } = await setUp(answerWithoutUsage);
    expect((await post([field("model", model), fileField("file", wavOf(90.2))])).status).toBe(200);
    expect(await charged()).toMatchObject([
      { amount: 9_100_000n, units: { second: 91 }, usageSource: "request" },
    ]);
  });

  test("of a file that cannot be measured is charged as the upstream counts, or by estimate", async () => {
    const { model, post, charged } = await setUp(answerWithoutUsage);
    const fields = [field("model", model), fileField("file", Buffer.alloc(40_000, 7))];
    expect((await post(fields)).status).toBe(200);
    upstream.answer(answerWithUsage);
    expect((await post(fields)).status).toBe(200);
    expect(await charged()).toMatchObject([
      { units: { second: 3 }, usageSource: "upstream" },
      { units: { second: 10 }, usageSource: "estimated" },
    ]);
  });

  test("goes to the next channel with the same file", async () => {
    let calls = 0;
    const { model, post, charged } = await setUp((call, response, request) => {
      calls += 1;
      return calls === 1
        ? refuseWith(500)(call, response, request)
        : answerWithUsage(call, response, request);
    });
    expect((await post([field("model", model), fileField("file", wavOf(1))])).status).toBe(200);
    expect(upstream.requests[1]?.bytes.equals(upstream.requests[0]?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(await charged()).toHaveLength(1);
  });
});

describe("a streamed transcription", () => {
  const events = (...all: object[]) =>
    answerEvents(...all.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`));
  const input_token_details = { audio_tokens: 20 };
  const usage = { type: "tokens", input_tokens: 30, input_token_details, output_tokens: 7 };
  const delta = (text: string) => ({ type: "transcript.text.delta", delta: text });
  const done = { type: "transcript.text.done", text: "Hello world", usage };

  test.each(["client", "client6"] as const)(
    "reaches the SDK as it comes, and is charged (%s)",
    async (which) => {
      const { model, charged, ...clients } = await setUp(
        events(delta("Hello"), delta(" world"), done),
        BY_TOKEN,
      );
      const file = await toFile(wavOf(2), "a.wav");
      const stream = await clients[which].audio.transcriptions.create({ model, file, stream: true });
      expect(await collectItems(stream)).toEqual([delta("Hello"), delta(" world"), done]);
      expect(lastForm()).toMatchObject({ model: "vendors-own", stream: "true" });
      expect(await charged()).toMatchObject([
        { amount: 215_000n, inputTokens: 10, outputTokens: 7, usageSource: "upstream" },
      ]);
    },
  );

  test("of a model that cannot stream is one event, and is charged once", async () => {
    const { model, client, charged } = await setUp(answerWithUsage);
    const file = await toFile(wavOf(2), "a.wav");
    const stream = await client.audio.transcriptions.create({ model, file, stream: true });
    expect(await collectItems(stream)).toEqual([
      { type: "transcript.text.done", text: "Hello.", usage: { type: "duration", seconds: 3 } },
    ]);
    expect(upstream.requests).toHaveLength(1);
    expect(await charged()).toMatchObject([{ units: { second: 3 }, usageSource: "upstream" }]);
  });

  test("that breaks off says so, and is charged for what was sent and what arrived", async () => {
    const { model, post, charged } = await setUp(breakAfter(sseChunk(delta("Hello world"))), BY_TOKEN);
    const fields = [field("model", model), fileField("file", wavOf(30)), field("stream", "true")];
    const text = await (await post(fields)).text();
    expect(text).toContain("Hello world");
    expect(text).toContain('"code":502');
    expect(text).not.toContain("[DONE]");
    expect(await charged()).toMatchObject([
      { units: { audio_input: 300 }, inputTokens: 0, outputTokens: 3, usageSource: "estimated" },
    ]);
  });
});
