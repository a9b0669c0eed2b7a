import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenAIEmbeddings } from "@langchain/openai";
import { embedMany } from "ai";
import OpenAI7 from "openai";
import OpenAI6 from "openai-6";
import { describe, expect, test } from "vitest";
import { perFile, servedModel } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { type Answer, sendJson, startUpstream } from "@/tests/support/upstream";
import type { Target } from "./client";

/** Exact as 32-bit floats, so that base64 loses nothing. */
const vectors = [
  [0.5, -1.25, 3],
  [-0.0625, 1024, 0.001953125],
];
const texts = ["a city", "a lake"];

/** 32-bit floats, little-endian, one after the other. */
function toBase64(vector: number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => {
    bytes.writeFloatLE(value, index * 4);
  });
  return bytes.toString("base64");
}

/** A vendor that knows one form only, whatever it is asked for. */
const speakVectors =
  (write: (vector: number[]) => unknown): Answer =>
  (asked, response) =>
    sendJson(response, 200, {
      object: "list",
      model: asked.body.model,
      data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: write(vector) })),
      usage: { prompt_tokens: 8, total_tokens: 8 },
    });

const vendors: [string, Answer][] = [
  ["floats", speakVectors((vector) => vector)],
  ["base64", speakVectors(toBase64)],
];

const official = (OpenAI: typeof OpenAI6) => async (target: Target) => {
  const client = new OpenAI({ ...connect(target), maxRetries: 0 });
  const { data } = await client.embeddings.create({ model: target.model, input: texts });
  return data.map(({ embedding }) => embedding);
};
const connect = ({ url, secret }: Target) => ({ baseURL: `${url}/v1`, apiKey: secret });

const clients: [string, (target: Target) => Promise<number[][]>][] = [
  // The majors differ in types that do not matter here.
  ["openai 7", official(OpenAI7 as unknown as typeof OpenAI6)],
  ["openai 6", official(OpenAI6)],
  [
    "LangChain, OpenAIEmbeddings",
    ({ url, secret, model }) => {
      const configuration = { baseURL: `${url}/v1` };
      return new OpenAIEmbeddings({ model, apiKey: secret, maxRetries: 0, configuration }).embedDocuments(
        texts,
      );
    },
  ],
  [
    "AI SDK, openai",
    async (target) => {
      const model = createOpenAI(connect(target)).embedding(target.model);
      return (await embedMany({ model, values: texts, maxRetries: 0 })).embeddings;
    },
  ],
  [
    "AI SDK, openai-compatible",
    async (target) => {
      const provider = createOpenAICompatible({ ...connect(target), name: "gateway" });
      const model = provider.embeddingModel(target.model);
      return (await embedMany({ model, values: texts, maxRetries: 0 })).embeddings;
    },
  ],
];

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(speakVectors((vector) => vector)));
const model = servedModel({ gateway, upstream }, { kind: "embedding", maxOutputTokens: 0 });

describe.each(vendors)("from a vendor that answers with %s only", (_form, answer) => {
  test.each(clients)("%s gets the right vectors", async (_name, embed) => {
    upstream.answer(answer);
    const { accountId, secret } = await gateway.customer();
    expect(await embed({ url: gateway.url, secret, model })).toEqual(vectors);
    const charges = await gateway.entries(accountId);
    expect(charges.map(({ kind, inputTokens }) => [kind, inputTokens])).toEqual([["capture", 8]]);
    expect(await gateway.verify()).toEqual([]);
  });
});
