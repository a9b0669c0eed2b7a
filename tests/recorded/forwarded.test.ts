import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { money } from "@/tests/support/customer";
import { priced } from "@/tests/support/sold-model";
import { type JsonObject, loadRecording, type RecordedExchange, type Recording } from "./corpus";
import { cutAtRandom, randomOf, replay } from "./replay";
import { type ReplayWorld, replaySuite, rowsOf } from "./suite";
import { at } from "./usage";

const rerankInput = { inputPrice: money("0.05") };
/** The prices of each endpoint's model. Token prices are for text, per million. */
const surfaces = {
  "openai.images": {
    path: "images/generations",
    model: { kind: "image", inputPrice: money("5"), outputPrice: money("40") },
    prices: { image: "0.04" },
  },
  "openai.speech": { path: "audio/speech", model: { kind: "speech" }, prices: { character: "15" } },
  rerank: { path: "rerank", model: { kind: "rerank", ...rerankInput }, prices: { rerank: "0.002" } },
  "openai.moderations": { path: "moderations", model: { kind: "moderation" }, prices: { request: "0.001" } },
} as const;
type Surface = keyof typeof surfaces;

/** Requests for recordings that have only the answer. */
const standIns: Partial<Record<Surface, JsonObject>> = {
  rerank: { query: "What floats?", documents: ["A stone sinks.", "A boat floats."] },
};

const requestOf = ({ exchange, request }: Recording): JsonObject =>
  exchange.request_recorded ? request : { ...standIns[exchange.endpoint as Surface] };

/** The expected units in the ledger, and tokens if the vendor counted them (null: it did not). */
function countsOf({ exchange, body }: Recording, request: JsonObject) {
  if (exchange.endpoint === "openai.speech") {
    return { units: { character: Array.from(String(request.input)).length }, input: 0, output: 0 };
  }
  const answer = JSON.parse(body.toString()) as JsonObject;
  const usage = at(answer, "usage");
  if (exchange.endpoint === "openai.images") {
    const [size, quality] = [at(answer, "size"), at(answer, "quality")].map((value) => value ?? null);
    const made = (answer.data as unknown[]).length;
    const wide = size ?? request.size ?? "auto";
    const fine = quality ?? request.quality ?? "auto";
    const unit = [wide, fine].includes("auto") ? "image" : `image:${wide}:${fine}`;
    const [input, output] = [at(usage, "input_tokens") ?? null, at(usage, "output_tokens") ?? 0];
    return { units: { [unit]: made }, input, output };
  }
  if (exchange.endpoint === "rerank") {
    const units = at(answer, "meta", "billed_units", "search_units") ?? 1;
    return { units: { rerank: units }, input: at(usage, "total_tokens") ?? null, output: 0 };
  }
  return { units: { request: 1 }, input: 0, output: 0 };
}

async function check({ gateway, upstream }: ReplayWorld, exchange: RecordedExchange): Promise<void> {
  const recording = loadRecording(exchange);
  const { path, model, prices } = surfaces[exchange.endpoint as Surface];
  const unitPrices = priced(prices);
  const upstreamName = exchange.model ?? "unnamed";
  const none = { inputPrice: nanos(0n), outputPrice: nanos(0n) };
  const id = await gateway.model({ ...none, ...model, unitPrices });
  await gateway.channel({ model: id, models: { [id]: upstreamName }, baseUrl: upstream.baseUrl });
  const customer = await gateway.customer();
  const request = requestOf(recording);
  upstream.answer(replay(recording, cutAtRandom(recording.body, randomOf(exchange.dir))));
  const before = upstream.requests.length;
  const response = await gateway.post(customer.secret, path, { ...request, model: id });
  expect(response.status).toBe(200);
  expect(upstream.requests[before]?.body).toEqual({ ...request, model: upstreamName });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (exchange.endpoint === "openai.speech") {
    expect(bytes.equals(recording.body)).toBe(true);
  } else {
    const { model: _named, ...fields } = JSON.parse(recording.body.toString()) as JsonObject;
    expect(JSON.parse(bytes.toString())).toMatchObject(fields);
  }
  const expected = countsOf(recording, request);
  const [entry, ...more] = await gateway.entries(customer.accountId);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ kind: "capture", units: expected.units, outputTokens: expected.output });
  if (expected.input !== null) {
    expect(entry?.inputTokens).toBe(expected.input);
  }
  const perUnit = unitPrices[0]?.price ?? 0n;
  const [count = 0] = Object.values(expected.units) as number[];
  const ofUnits = (BigInt(count) * perUnit) / ("character" in expected.units ? 1_000_000n : 1n);
  const ofTokens = [
    [entry?.inputTokens, "inputPrice" in model ? model.inputPrice : 0n],
    [entry?.outputTokens, "outputPrice" in model ? model.outputPrice : 0n],
  ].reduce((sum, [tokens, price]) => sum + (BigInt(tokens ?? 0) * BigInt(price ?? 0)) / 1_000_000n, 0n);
  // With these prices and counts nothing is rounded.
  expect(entry?.amount).toBe(ofUnits + ofTokens);
}

replaySuite(Object.keys(surfaces), (exchanges, world) => {
  const served = exchanges.filter(
    (exchange) => exchange.status === 200 && !("_multipart" in loadRecording(exchange).request),
  );

  test("every endpoint has recordings", () => {
    expect(new Set(served.map(({ endpoint }) => endpoint))).toEqual(new Set(Object.keys(surfaces)));
  });

  describe("a recorded call, its answer cut anywhere, is forwarded and charged as its vendor counted", () => {
    test.each(rowsOf(served))("$dir", ({ exchange }) => check(world, exchange));
  });
});
