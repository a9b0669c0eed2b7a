/** What the `ai` package makes of an answer: a client with strict schemas of its own. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embedMany, generateText, streamText } from "ai";
import type { JsonObject } from "./corpus";

/** Where it asks. `secret`: of the gateway's customer; an upstream takes any. */
export type Door = { url: string; secret: string; model: string };

export type AiRead = {
  content: unknown[];
  finishReason: string | null;
  usage: JsonObject | null;
  /** What its schemas did not take. */
  error: string | null;
};

/** What an answer says. Its head has the model's name in it, sources get random identifiers, failed calls an Error. */
const said = (content: readonly object[]): unknown[] =>
  (content as JsonObject[])
    .filter((part) => part.kind !== "anthropic.message_start")
    .map(({ id: _id, error: _error, ...part }) => part);

/** The counts, without the vendor's own object. */
const counted = ({ raw: _raw, ...usage }: JsonObject): JsonObject => usage;

/** Reads a message, streamed or not. */
export async function readMessageWithAi({ url, secret, model }: Door, isStream: boolean): Promise<AiRead> {
  const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: secret });
  const asked = { model: anthropic(model), prompt: "Say something.", maxOutputTokens: 1_000, maxRetries: 0 };
  try {
    if (!isStream) {
      const { content, finishReason, usage } = await generateText(asked);
      return { content: said(content), finishReason, usage: counted({ ...usage }), error: null };
    }
    let error: string | null = null;
    const result = streamText({
      ...asked,
      onError: (event) => {
        error = nameOf(event.error);
      },
    });
    const [content, finishReason, usage] = await Promise.all([
      result.content,
      result.finishReason,
      result.usage,
    ]);
    return { content: said(content), finishReason, usage: counted({ ...usage }), error };
  } catch (thrown) {
    return { content: [], finishReason: null, usage: null, error: nameOf(thrown) };
  }
}

const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : String(thrown));

/** Embeds texts; it always asks for numbers. */
export async function embedWithAi(
  { url, secret, model }: Door,
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
