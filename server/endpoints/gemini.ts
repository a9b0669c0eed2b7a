import { both } from "@/server/base/language";
import {
  geminiBatchSchema,
  geminiCountSchema,
  geminiEmbedSchema,
  geminiPredictSchema,
  geminiSchema,
} from "@/server/protocol/gemini/schemas";
import { unguardedNames } from "@/server/protocol/scalar-members";
import { GeminiAnswer } from "./answers/conversation-answers";
import { GeminiEvent } from "./answers/conversation-events";
import { buys, idOf, ofConversations, reads, written } from "./endpoint";
import { anything, integer, listOf, object, text } from "./schema";

/** The path of one of Google's operations with a model. */
export const geminiPath = (verb: string) => `/v1beta/models/{model}:${verb}`;

const google = {
  dialect: "gemini",
  tag: "gemini",
  parameters: [idOf("model")],
  refusals: ["unknownPath"],
} as const;
const generate = {
  ...google,
  name: "gemini.generate",
  label: geminiPath("generateContent"),
  json: {
    name: "GeminiRequest",
    schema: geminiSchema,
    passed: [...unguardedNames("gemini"), "systemInstruction", "tools", "toolConfig"],
  },
} as const;
const embed = {
  ...google,
  name: "gemini.embed",
  label: geminiPath("embedContent"),
  answers: [
    {
      status: 200,
      schema: {
        name: "GeminiEmbeddings",
        schema: object({ embedding: anything, embeddings: listOf(anything) }, ["embedding", "embeddings"]),
      },
    },
  ],
} as const;
const picture = object({ mimeType: text, bytesBase64Encoded: text, prompt: text }, ["prompt"]);

/** The calls of Google's clients with a model (spec 4.12). The end of each path names the operation. */
export const gemini = [
  buys({
    ...generate,
    id: "generateContent",
    path: geminiPath("generateContent"),
    summary: both("生成内容", "Generate content"),
    answers: [
      { status: 200, schema: { name: "GeminiAnswer", schema: GeminiAnswer }, headers: ofConversations },
    ],
  }),
  buys({
    ...generate,
    id: "streamGenerateContent",
    path: geminiPath("streamGenerateContent"),
    summary: both(
      "流式生成内容；加 ?alt=sse 返回事件流",
      "Generate content as a stream; events with ?alt=sse",
    ),
    answers: [
      {
        status: 200,
        schema: { name: "GeminiStream", schema: listOf(GeminiEvent) },
        events: { name: "GeminiEvent", schema: GeminiEvent },
        headers: ofConversations,
      },
    ],
  }),
  reads({
    ...google,
    id: "countTokens",
    name: "gemini.count_tokens",
    method: "post",
    path: geminiPath("countTokens"),
    summary: both("估算 Token 数，不收费", "Estimate the tokens of a request, free of charge"),
    json: { name: "GeminiCountRequest", schema: geminiCountSchema },
    answers: [{ status: 200, schema: { name: "GeminiCount", schema: object({ totalTokens: integer }) } }],
    refusals: [...written, "unknownModel", ...google.refusals],
  }),
  buys({
    ...embed,
    id: "embedContent",
    path: geminiPath("embedContent"),
    summary: both("一段文本的向量", "Embed a text"),
    json: { name: "GeminiEmbedRequest", schema: geminiEmbedSchema },
  }),
  buys({
    ...embed,
    id: "batchEmbedContents",
    path: geminiPath("batchEmbedContents"),
    summary: both("多段文本的向量", "Embed several texts"),
    json: { name: "GeminiBatchRequest", schema: geminiBatchSchema },
  }),
  buys({
    ...google,
    id: "predict",
    name: "gemini.predict",
    path: geminiPath("predict"),
    summary: both("生成图片", "Generate images"),
    json: { name: "GeminiPredictRequest", schema: geminiPredictSchema },
    answers: [
      {
        status: 200,
        schema: { name: "GeminiPredictions", schema: object({ predictions: listOf(picture) }) },
      },
    ],
  }),
] as const;
