/** Upstreams that count what cannot be: nobody pays for it, and somebody is told. */
import { beforeEach, describe, expect, test } from "vitest";
import type { ModelKind } from "@/server/base/facts";
import { startGateway } from "@/tests/support/gateway";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { perFile } from "@/tests/support/per-file";
import { sellerOf } from "@/tests/support/sold-model";
import { field, fileField, formOf, wavOf } from "@/tests/support/sound";
import {
  type Answer,
  answerWith,
  refuseWith,
  sendJson,
  startUpstream,
  usage,
} from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(refuseWith(500)));
const setUp = sellerOf({ gateway, upstream });

const answering =
  (body: object): Answer =>
  (_asked, response) =>
    sendJson(response, 200, body);

async function alarms(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/^tollgate_billing_incidents_total\{kind="above_hold"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}
let before = 0;
beforeEach(async () => {
  before = await alarms();
});

/** The one charge of an account, which is no more than was frozen for it, and an alarm. */
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

const messages = [{ role: "user", content: "What floats?" }];
const include = { usage: { include: true } };

describe.each([false, true])("a conversation (stream: %s)", (stream) => {
  test.each([
    ["chat/completions", answerWith("A boat.", usage(1_000_000_000, 1_000_000_000)), "openai" as const],
    [
      "messages",
      answerMessageWith("A boat.", { input_tokens: 1e9, output_tokens: 1e9 }),
      "anthropic" as const,
    ],
    [
      "chat/completions",
      answerMessageWith("A boat.", { input_tokens: 1e9, output_tokens: 1e9 }),
      "anthropic" as const,
    ],
  ])("/v1/%s that used a thousand million tokens", async (path, answer, dialect) => {
    upstream.answer(answer);
    const model = await gateway.model();
    await gateway.channel({ model, dialect, baseUrl: upstream.baseUrl });
    const { accountId, secret } = await gateway.customer();
    const response = await fetch(`${gateway.url}/v1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify({ model, messages, stream, max_tokens: 900, ...include }),
    });
    const text = await response.text();
    expect(response.status).toBe(200);
    const entry = await chargedAsFrozen(accountId);
    // What the client is told that it costs is what it costs.
    expect(Number(/"cost":([\d.e-]+)/.exec(text)?.[1])).toBe(Number(entry?.amount) / 1e9);
  });
});

describe("a call of one answer", () => {
  const usageOf = (tokens: number) => ({ prompt_tokens: tokens, total_tokens: tokens, input_tokens: tokens });
  const pictures = Array(500).fill({ b64_json: "AAAA" });
  type Sold = {
    kind: ModelKind;
    prices?: Record<string, string>;
    input?: string;
    answer: object;
    fields: object;
  };
  const results = [{ index: 0, relevance_score: 1 }];
  const ranked = { query: "a", documents: ["b"] };
  const sold: [string, Sold][] = [
    [
      "images/generations",
      { kind: "image", prices: { image: "0.1" }, answer: { data: pictures }, fields: { prompt: "a boat" } },
    ],
    [
      "rerank",
      {
        kind: "rerank",
        prices: { rerank: "0.002" },
        answer: { results, meta: { billed_units: { search_units: 9_999 } } },
        fields: ranked,
      },
    ],
    ["rerank", { kind: "rerank", input: "5", answer: { results, usage: usageOf(1e9) }, fields: ranked }],
    [
      "embeddings",
      {
        kind: "embedding",
        input: "5",
        answer: { data: [{ index: 0, embedding: [1] }], usage: usageOf(1e9) },
        fields: { input: "a" },
      },
    ],
  ];
  test.each(sold)("/v1/%s that counts what cannot be (%#)", async (path, { kind, fields, ...sale }) => {
    const { prices = {}, input = "0" } = sale;
    const { post, accountId } = await setUp(kind, { prices, input, answer: answering(sale.answer) });
    expect((await post(path, fields)).status).toBe(200);
    await chargedAsFrozen(accountId);
  });

  test.each([
    [{ type: "duration", seconds: 9_999_999 }, { prices: { second: "0.006" } }],
    [
      { type: "tokens", input_tokens: 1e9, output_tokens: 1e9 },
      { prices: {}, input: "5", output: "5" },
    ],
  ])("a transcript of one second that took %j", async (told, prices) => {
    const answer = answering({ text: "Hello.", usage: told });
    const { model, secret, accountId } = await setUp("transcription", { ...prices, answer });
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "multipart/form-data; boundary=b0undary",
      },
      body: formOf([field("model", model), fileField("file", wavOf(1))]),
    });
    expect(response.status).toBe(200);
    await chargedAsFrozen(accountId);
  });

  test.each([-1, 0.5, "1e9", Number.MAX_SAFE_INTEGER, 1e300, null, [], {}])(
    "counts that are no counts are estimated: %j",
    async (tokens) => {
      const answer = answering({
        results: [{ index: 0, relevance_score: 1 }],
        usage: { total_tokens: tokens },
        meta: { billed_units: { search_units: tokens } },
      });
      const { post, charged } = await setUp("rerank", { prices: { rerank: "0.002" }, input: "5", answer });
      expect((await post("rerank", { query: "a", documents: ["b"] })).status).toBe(200);
      expect(await charged()).toMatchObject([{ how: "capture", units: { rerank: 1 } }]);
      expect(await alarms()).toBe(before);
    },
  );
});
