import { z } from "zod";
import { toSignal } from "@/server/base/cancellation";
import { encodeFloats } from "@/server/protocol/embeddings/encoding";
import { countTokens } from "@/server/protocol/usage/estimate";
import { textIn, type UpstreamCall, type UpstreamReply } from "./adapter";
import { embeddingThread } from "./embedding-thread";

/** The dimensions of Universal Sentence Encoder lite, which knows English (all Chinese is one unknown word to it). */
const DIMENSIONS = 512;

/** The model reads 128 tokens; the rest of a text only costs time (its tokenizer is quadratic). */
const MAX_CHARACTERS = 2_000;

/**
 * Texts per job of the thread, so that calls take turns. Measured on one core: 4 to 8 ms for a sentence of ten words in
 * a batch, 60 ms for one of 2,000 characters, half a second to load. The model never pauses, so it runs in a thread,
 * which does not block the process that relays streams.
 */
const BATCH = 8;

const Tokens = z.array(z.number().int().min(0));

const Request = z.looseObject({
  model: z.string(),
  input: z.union([
    z.string().transform((text) => [text]),
    Tokens.transform((tokens) => [tokens]),
    z.array(z.string()),
    z.array(Tokens),
  ]),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  dimensions: z.number().int().min(1).max(DIMENSIONS).nullish(),
});

const complaints: Record<string, string> = {
  input: "input must be a string, an array of strings, or tokens or arrays of them",
  encoding_format: "encoding_format must be float or base64",
  dimensions: `dimensions must be an integer from 1 to ${DIMENSIONS}`,
};

async function* once(value: unknown): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(JSON.stringify(value));
}

const reply = (status: number, value: unknown): UpstreamReply => ({
  status,
  contentType: "application/json",
  retryAfterMs: null,
  body: once(value),
  discard: () => {},
});

const refuse = (param: string, message: string): UpstreamReply =>
  reply(400, { error: { message, type: "invalid_request_error", param, code: null } });

/** The first dimensions of a vector, rescaled to length 1. */
function shorten(vector: number[], dimensions: number): number[] {
  const head = vector.slice(0, dimensions);
  const length = Math.hypot(...head);
  return length === 0 ? head : head.map((value) => value / length);
}

async function embed(texts: string[], signal: AbortSignal): Promise<number[][]> {
  const vectors: number[][] = [];
  for (let start = 0; start < texts.length; start += BATCH) {
    const batch = texts.slice(start, start + BATCH).map((text) => text.slice(0, MAX_CHARACTERS));
    vectors.push(...(await embeddingThread().run(batch, signal)));
  }
  return vectors;
}

/**
 * POST /embeddings of the sandbox. Throws UpstreamFault `broken` if the model does not load, and the cancellation's reason.
 */
export async function embedInSandbox(call: UpstreamCall): Promise<UpstreamReply> {
  const parsed = Request.safeParse(JSON.parse(textIn(call)));
  if (!parsed.success) {
    const param = String(parsed.error.issues[0]?.path[0]);
    return refuse(param, complaints[param] ?? `${param} is not valid`);
  }
  const { model, input, encoding_format: format, dimensions } = parsed.data;
  if (input.length === 0 || input.some((item) => item.length === 0)) {
    return refuse("input", "input must not be empty");
  }
  // The tokens' tokenizer is unknown: equal tokens give equal texts.
  const texts = input.map((item) => (typeof item === "string" ? item : item.join(" ")));
  const data = (await embed(texts, toSignal(call.cancellation))).map((vector, index) => {
    const values = dimensions && dimensions < DIMENSIONS ? shorten(vector, dimensions) : vector;
    return { object: "embedding", index, embedding: format === "base64" ? encodeFloats(values) : values };
  });
  const counts = input.map((item) => (typeof item === "string" ? Math.ceil(countTokens(item)) : item.length));
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  return reply(200, { object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
}
