/** Every operation of `/v1` and of Google's addresses, with its parameters, bodies, answers and refusals. */
import { balances } from "./balance-operations";
import { conversations, models } from "./conversation-operations";
import { forwardedOperations, videos } from "./media-operations";
import { buys, type DocumentedOperation, idOf } from "./operation";
import { storedConversations } from "./stored-conversation-operations";
import { both } from "./texts";

const google = (
  id: string,
  verb: string,
  rest: Pick<DocumentedOperation, "summary" | "json" | "answers">,
): DocumentedOperation =>
  buys({
    id,
    path: `/v1beta/models/{model}:${verb}`,
    tag: "gemini",
    parameters: [idOf("model")],
    ...rest,
    refusals: ["unknownPath"],
  });

const gemini: DocumentedOperation[] = [
  google("generateContent", "generateContent", {
    summary: both("生成内容", "Generate content"),
    json: "GeminiRequest",
    answers: [{ status: 200, schema: "GeminiAnswer" }],
  }),
  google("streamGenerateContent", "streamGenerateContent", {
    summary: both(
      "流式生成内容；加 ?alt=sse 返回事件流",
      "Generate content as a stream; events with ?alt=sse",
    ),
    json: "GeminiRequest",
    answers: [{ status: 200, schema: "GeminiStream", events: "GeminiEvent" }],
  }),
  google("countTokens", "countTokens", {
    summary: both("估算 Token 数，不收费", "Estimate the tokens of a request, free of charge"),
    json: "GeminiCountRequest",
    answers: [{ status: 200, schema: "GeminiCount" }],
  }),
  google("embedContent", "embedContent", {
    summary: both("一段文本的向量", "Embed a text"),
    json: "GeminiEmbedRequest",
    answers: [{ status: 200, schema: "GeminiEmbeddings" }],
  }),
  google("batchEmbedContents", "batchEmbedContents", {
    summary: both("多段文本的向量", "Embed several texts"),
    json: "GeminiBatchRequest",
    answers: [{ status: 200, schema: "GeminiEmbeddings" }],
  }),
  google("predict", "predict", {
    summary: both("生成图片", "Generate images"),
    json: "GeminiPredictRequest",
    answers: [{ status: 200, schema: "GeminiPredictions" }],
  }),
];

export const operations: readonly DocumentedOperation[] = [
  ...models,
  ...conversations,
  ...storedConversations,
  ...forwardedOperations,
  ...videos,
  ...gemini,
  ...balances,
];
