import { both } from "@/server/base/language";
import { embeddingsSchema } from "@/server/protocol/embeddings/schema";
import { buys } from "./endpoint";
import { constant, integer, listOf, number, object, text } from "./schema";

const vector = object({
  ...{ object: constant("embedding"), index: integer, embedding: { anyOf: [listOf(number), text] } },
});

/** POST /v1/embeddings (spec 4.4). */
export const embeddings = buys({
  id: "createEmbeddings",
  name: "embeddings",
  path: "/v1/embeddings",
  isAtDeployments: true,
  tag: "embeddings",
  summary: both("把文本转换为向量", "Create embeddings"),
  json: { name: "EmbeddingsRequest", schema: embeddingsSchema, passed: ["dimensions"] },
  answers: [
    {
      status: 200,
      schema: {
        name: "Embeddings",
        schema: object({
          object: constant("list"),
          data: listOf(vector),
          model: text,
          usage: object({ prompt_tokens: integer, total_tokens: integer, cost: number }, ["cost"]),
        }),
      },
    },
  ],
});
