import OpenAI, { toFile } from "openai";
import OpenAI6 from "openai-6";
import { describe, expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { parseForm } from "@/server/protocol/multipart/form";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { field, fileField, formOf, recordingOf, wavOf } from "@/tests/support/sound";
import { type Answer, refuseWith, sendJson, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(refuseWith(500)));

const money = (text: string) => parseMoney(text) ?? nanos(0n);
const PER_MINUTE = { second: "0.006" };

type Sold = {
  prices?: Record<string, string>;
  input?: string;
  output?: string;
  quota?: string;
  tellsCost?: boolean;
};

/** A customer with a model of its own, sold at these prices, for which `answer` answers. */
async function setUp(answer: Answer, sold: Sold = {}) {
  const { prices = PER_MINUTE, input = "0", output = "0", quota, tellsCost = false } = sold;
  upstream.answer(answer);
  upstream.asked.length = 0;
  const model = await gateway.model({
    kind: "transcription",
    unitPrices: Object.entries(prices).map(([unit, price]) => ({ unit, price: money(price) })),
    inputPrice: money(input),
    outputPrice: money(output),
    maxOutputTokens: 2_000,
  });
  await gateway.channel({ model, models: { [model]: "whisper-x" }, baseUrl: upstream.baseUrl });
  const customer = await gateway.customer({ tellsCost, ...(quota !== undefined && { quota }) });
  const options = { apiKey: customer.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 };
  const post = (fields: Parameters<typeof formOf>[0], path = "transcriptions") =>
    fetch(`${gateway.url}/v1/audio/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${customer.secret}`,
        "content-type": "multipart/form-data; boundary=b0undary",
      },
      body: formOf(fields),
    });
  const charged = async () => {
    expect(await gateway.verify()).toEqual([]);
    return (await gateway.entries(customer.accountId)).map(
      ({ kind: how, amount, units, inputTokens, outputTokens, usageSource }) =>
        how === "capture" ? { amount, units, inputTokens, outputTokens, usageSource } : how,
    );
  };
  return {
    model,
    post,
    charged,
    client: new OpenAI(options),
    client6: new OpenAI6(options) as unknown as OpenAI,
    ...customer,
  };
}

/** The parts that the upstream was sent last, its file by its length. */
function asked(): Record<string, string> {
  const { headers, bytes } = upstream.asked.at(-1) ?? {};
  const [, boundary = ""] = /boundary="?([^"]+)"?$/.exec(headers?.["content-type"] ?? "") ?? [];
  const form = parseForm(bytes ?? Buffer.alloc(0), boundary);
  return Object.fromEntries(
    form.parts.map(({ name, isFile, start, end }) => [
      name,
      isFile ? `${end - start} bytes` : form.bytes.toString("utf8", start, end),
    ]),
  );
}

const json =
  (body: object): Answer =>
  (_asked, response) =>
    sendJson(response, 200, body);

const told = json({ text: "Hello.", usage: { type: "duration", seconds: 3 } });
/** An answer of vendors that count nothing. */
const untold = json({ text: "Hello." });

const segments = [
  { id: 0, start: 0, end: 1.7000000476837158, text: " Hello, world!" },
  { id: 1, start: 3_661.5, end: 3_662.007, text: " A --> b." },
];
const verbose = json({
  task: "transcribe",
  language: "english",
  duration: 2.4000000953674316,
  text: "Hello, world!",
  segments,
});

describe("POST /v1/audio/transcriptions", () => {
  test.each(["client", "client6"] as const)(
    "takes what the official SDK sends (%s), and is charged the seconds that the upstream counts",
    async (which) => {
      const sold = await setUp(told);
      const file = await toFile(wavOf(2.5), "speech.wav");
      const said = await sold[which].audio.transcriptions.create({ model: sold.model, file, language: "en" });
      expect(said).toMatchObject({ text: "Hello.", usage: { type: "duration", seconds: 3 } });
      expect(upstream.asked[0]?.path).toBe("/v1/audio/transcriptions");
      expect(asked()).toEqual({ model: "whisper-x", file: "40044 bytes", language: "en" });
      // 3 seconds, of which a minute costs 0.006.
      expect(await sold.charged()).toEqual([
        { amount: 300_000n, units: { second: 3 }, inputTokens: 0, outputTokens: 0, usageSource: "upstream" },
      ]);
    },
  );

  test("has the parts that it does not read go on byte for byte, and the model wherever it stands", async () => {
    const { model, post } = await setUp(told);
    const odd = {
      name: "x",
      value: Buffer.from([0, 255, 13, 10, 45, 45]),
      head: 'Content-Type: a/b; c="d"\r\nContent-Disposition: form-data; name="x"; filename="ü\\\'1.bin"',
    };
    const fields = (name: string) => [fileField("file", wavOf(1)), odd, field("model", name), odd];
    expect((await post(fields(model))).status).toBe(200);
    expect(upstream.asked[0]?.bytes.equals(formOf(fields("whisper-x")))).toBe(true);
  });

  test("is charged by tokens where the model is, sound apart from text", async () => {
    const usage = {
      type: "tokens",
      input_tokens: 94,
      input_token_details: { text_tokens: 13, audio_tokens: 81 },
      output_tokens: 240,
      total_tokens: 334,
    };
    const { model, client, charged } = await setUp(json({ text: "Hello.", usage }), {
      prices: { audio_input: "6" },
      input: "2.5",
      output: "10",
    });
    await client.audio.transcriptions.create({ model, file: await toFile(wavOf(8), "a.wav") });
    // 13 x 2.5 + 81 x 6 + 240 x 10, of a million.
    expect(await charged()).toEqual([
      {
        amount: 2_918_500n,
        units: { audio_input: 81 },
        inputTokens: 13,
        outputTokens: 240,
        usageSource: "upstream",
      },
    ]);
  });

  test("is told nothing of the vendor's own price, whole or streamed", async () => {
    const told = { usage: { type: "duration", seconds: 1, cost: 77 }, response_cost: 77 };
    const { model, post } = await setUp(json({ text: "What does it cost?", ...told }));
    const file = fileField("file", wavOf(1));
    const whole = await post([field("model", model), file]);
    expect(await whole.json()).toEqual({
      text: "What does it cost?",
      usage: { type: "duration", seconds: 1 },
    });
    upstream.answer((_asked, response) => {
      const done = { type: "transcript.text.done", text: "What does it cost?", ...told };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify(done)}\n\ndata: [DONE]\n\n`);
    });
    const streamed = await post([field("model", model), field("stream", "true"), file]);
    const text = await streamed.text();
    expect(text).toContain("What does it cost?");
    expect(text).not.toContain("77");
  });

  test.each([
    ["text", "json", "Hello, world!\n"],
    [
      "srt",
      "verbose_json",
      "1\n00:00:00,000 --> 00:00:01,700\nHello, world!\n\n2\n01:01:01,500 --> 01:01:02,007\nA -> b.\n\n\n",
    ],
    [
      "vtt",
      "verbose_json",
      "WEBVTT\n\n00:00:00.000 --> 00:00:01.700\nHello, world!\n\n01:01:01.500 --> 01:01:02.007\nA -> b.\n\n",
    ],
  ])(
    "aisix#868: as %s is no cheaper: it is asked for in a form that counts",
    async (format, askedFor, body) => {
      const { model, post, charged } = await setUp(verbose);
      const file = fileField("file", wavOf(1));
      const response = await post([field("response_format", format), field("model", model), file]);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(await response.text()).toBe(body);
      expect(asked().response_format).toBe(askedFor);
      expect(await charged()).toMatchObject([
        { amount: 300_000n, units: { second: 3 }, usageSource: "upstream" },
      ]);
    },
  );

  test("where the upstream counts nothing is charged by our own measure of the file", async () => {
    const { model, post, charged } = await setUp(untold);
    expect((await post([field("model", model), fileField("file", wavOf(90.2))])).status).toBe(200);
    // A recorder that could not go back to its header.
    expect((await post([field("model", model), fileField("file", wavOf(20, { isOpen: true }))])).status).toBe(
      200,
    );
    // A browser.
    expect((await post([field("model", model), fileField("file", recordingOf(12))])).status).toBe(200);
    expect(await charged()).toMatchObject([
      { units: { second: 12 }, usageSource: "request" },
      { units: { second: 20 }, usageSource: "request" },
      { amount: 9_100_000n, units: { second: 91 }, usageSource: "request" },
    ]);
  });

  test("of a file that nobody can measure is charged what the upstream counts, else an estimate", async () => {
    const { model, post, charged } = await setUp(untold);
    const fields = [field("model", model), fileField("file", Buffer.alloc(40_000, 7))];
    expect((await post(fields)).status).toBe(200);
    upstream.answer(told);
    expect((await post(fields)).status).toBe(200);
    expect(await charged()).toMatchObject([
      { units: { second: 3 }, usageSource: "upstream" },
      { units: { second: 10 }, usageSource: "estimated" },
    ]);
  });

  test("nobody without the money for the whole file gets one", async () => {
    const { model, post, charged } = await setUp(told, { quota: "0.006" });
    const of = (file: Uint8Array) => [field("model", model), fileField("file", file)];
    expect((await post(of(wavOf(61)))).status).toBe(402);
    // It does not say how long it is: as long as so many bytes may be.
    expect((await post(of(Buffer.alloc(40_000, 7)))).status).toBe(402);
    expect(upstream.asked).toEqual([]);
    expect((await post(of(wavOf(57)))).status).toBe(200);
    expect(await charged()).toMatchObject([{ units: { second: 3 } }]);
  });

  test("goes to the next channel with the same file", async () => {
    let calls = 0;
    const { model, post, charged } = await setUp((sent, response, request) => {
      calls += 1;
      return calls === 1 ? refuseWith(500)(sent, response, request) : told(sent, response, request);
    });
    expect((await post([field("model", model), fileField("file", wavOf(1))])).status).toBe(200);
    expect(upstream.asked[1]?.bytes.equals(upstream.asked[0]?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(await charged()).toHaveLength(1);
  });
});

describe("POST /v1/audio/translations", () => {
  test("is the same for another language", async () => {
    const { model, client, charged } = await setUp(told);
    const said = await client.audio.translations.create({ model, file: await toFile(wavOf(1), "a.wav") });
    expect(said.text).toBe("Hello.");
    expect(upstream.asked[0]?.path).toBe("/v1/audio/translations");
    expect(await charged()).toMatchObject([{ units: { second: 3 } }]);
  });
});

describe("a streamed transcription", () => {
  const events = (...all: object[]): Answer => {
    return (_asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(all.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(""));
    };
  };
  const usage = {
    type: "tokens",
    input_tokens: 30,
    input_token_details: { audio_tokens: 20 },
    output_tokens: 7,
  };
  const delta = (text: string) => ({ type: "transcript.text.delta", delta: text });
  const done = { type: "transcript.text.done", text: "Hello world", usage };
  const sold = { prices: { audio_input: "6" }, input: "2.5", output: "10" };

  test.each(["client", "client6"] as const)(
    "reaches the SDK as it comes, and is charged (%s)",
    async (which) => {
      const { model, charged, ...clients } = await setUp(events(delta("Hello"), delta(" world"), done), sold);
      const file = await toFile(wavOf(2), "a.wav");
      const stream = await clients[which].audio.transcriptions.create({ model, file, stream: true });
      const heard: object[] = [];
      for await (const event of stream) {
        heard.push(event);
      }
      expect(heard).toEqual([delta("Hello"), delta(" world"), done]);
      expect(asked()).toMatchObject({ model: "whisper-x", stream: "true" });
      expect(await charged()).toMatchObject([
        { amount: 215_000n, inputTokens: 10, outputTokens: 7, usageSource: "upstream" },
      ]);
    },
  );

  test("of a model that cannot is one event, and not bought again", async () => {
    const { model, client, charged } = await setUp(told);
    const file = await toFile(wavOf(2), "a.wav");
    const stream = await client.audio.transcriptions.create({ model, file, stream: true });
    const heard: object[] = [];
    for await (const event of stream) {
      heard.push(event);
    }
    expect(heard).toEqual([
      { type: "transcript.text.done", text: "Hello.", usage: { type: "duration", seconds: 3 } },
    ]);
    expect(upstream.asked).toHaveLength(1);
    expect(await charged()).toMatchObject([{ units: { second: 3 }, usageSource: "upstream" }]);
  });

  test("that breaks off says so, and is charged what was sent and what came", async () => {
    const { model, post, charged } = await setUp((_asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(delta("Hello world"))}\n\n`, () => response.destroy());
    }, sold);
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
