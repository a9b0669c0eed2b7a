/** The official clients of embeddings, and what they read. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embedMany } from "ai";
import { OpenAI } from "openai";
import { OpenAI as OpenAI6 } from "openai-6";
import type { JsonObject } from "./corpus";

const majors = { 6: OpenAI6, 7: OpenAI };
export type Major = keyof typeof majors;

type Embeddings = { create: (body: unknown) => Promise<unknown> };
type Answer = {
  object: string;
  model: string;
  data: { object: string; index: number; embedding: number[] | string }[];
  usage: JsonObject;
};

export type EmbeddingsRead = { answer: Answer | null; error: { status: unknown } | null };

/** Sends a request through one SDK; without `encoding_format` it asks for base64 and decodes it itself. */
export async function embed(
  { major, url, secret }: { major: Major; url: string; secret: string },
  body: JsonObject,
): Promise<EmbeddingsRead> {
  const client = new majors[major]({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 });
  const embeddings = client.embeddings as unknown as Embeddings;
  try {
    return { answer: (await embeddings.create(body)) as Answer, error: null };
  } catch (thrown) {
    return { answer: null, error: { status: (thrown as { status?: unknown }).status } };
  }
}

/** The numbers of a vector as a client has it: an array, or the dialect's base64. */
export function numbersOf(embedding: number[] | string): number[] {
  if (typeof embedding !== "string") {
    return embedding;
  }
  const bytes = Buffer.from(embedding, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

/** Embeds texts with the AI SDK, which always asks for numbers. */
export async function embedWithAi(
  { url, secret, model }: { url: string; secret: string; model: string },
  values: string[],
): Promise<{ embeddings: number[][]; tokens: number }> {
  const provider = createOpenAICompatible({ name: "gateway", baseURL: `${url}/v1`, apiKey: secret });
  const { embeddings, usage } = await embedMany({
    model: provider.embeddingModel(model),
    values,
    maxRetries: 0,
  });
  return { embeddings, tokens: usage.tokens };
}
