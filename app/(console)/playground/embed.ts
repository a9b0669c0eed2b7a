import { z } from "zod";
import { callGateway } from "./call";

const Answer = z.looseObject({
  data: z.array(z.looseObject({ embedding: z.array(z.number()) })),
  usage: z.looseObject({ prompt_tokens: z.number() }),
});

export type Embedded = {
  texts: string[];
  vectors: number[][];
  inputTokens: number;
  requestId: string | null;
};

/** Fetches the texts' vectors, in their order. Throws CallFailed. */
export async function embed({ model, input }: { model: string; input: string[] }): Promise<Embedded> {
  const response = await callGateway({ path: "embeddings", body: { model, input } });
  const { data, usage } = Answer.parse(await response.json());
  return {
    texts: input,
    vectors: data.map(({ embedding }) => embedding),
    inputTokens: usage.prompt_tokens,
    requestId: response.headers.get("x-request-id"),
  };
}
