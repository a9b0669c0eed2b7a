/** The answers of docs/spec.md section 2. Objects may have more members than are listed. */
import { capWindows } from "@/server/base/cap-windows";
import { shownTaskStates } from "@/server/base/enums";
import { knownSizes } from "@/server/protocol/videos/sizes";
import { ChatCompletion, GeminiAnswer, Message, Response, TextCompletion } from "./conversation-answers";
import { events } from "./conversation-events";
import {
  anything,
  constant,
  integer,
  listOf,
  number,
  type OpenApiSchema,
  object,
  oneOf,
  orNull,
  text,
  truth,
} from "./schema";

const strings = listOf(text);

const cost = number;
const moment: OpenApiSchema = { type: "string", format: "date-time" };

const Model = object(
  {
    ...{ id: text, object: constant("model"), created: integer, owned_by: text, name: text },
    ...{ context_length: integer, context_window: integer, max_model_len: integer },
    architecture: object({ input_modalities: strings, output_modalities: strings }, ["*"]),
    top_provider: object({ context_length: integer, max_completion_tokens: integer }, ["context_length"]),
    supported_parameters: strings,
    pricing: object(
      {
        ...{ prompt: text, completion: text, input_cache_read: text, input_cache_write: text },
        ...{ request: text, web_search: text, currency: text },
      },
      ["input_cache_read", "input_cache_write", "request", "web_search"],
    ),
  },
  [
    ...["context_length", "context_window", "max_model_len", "architecture", "top_provider"],
    ...["supported_parameters", "pricing"],
  ],
);
const support = object({ supported: truth });
const AnthropicModel = object({
  ...{ id: text, type: constant("model"), display_name: text, created_at: text, lifecycle: text },
  ...{ line: orNull(text), deprecated_at: orNull(text), retires_at: orNull(text) },
  ...{ max_input_tokens: orNull(integer), max_tokens: orNull(integer) },
  capabilities: orNull(object({ image_input: support, pdf_input: support, thinking: support }, ["*"])),
});
const GoogleModel = object(
  {
    ...{ name: text, displayName: text, supportedGenerationMethods: strings },
    ...{ inputTokenLimit: integer, outputTokenLimit: integer, thinking: truth },
  },
  ["inputTokenLimit", "outputTokenLimit", "thinking"],
);

const page = (data: OpenApiSchema) =>
  object({ data: listOf(data), has_more: truth, first_id: orNull(text), last_id: orNull(text) });

const Embeddings = object({
  object: constant("list"),
  data: listOf(
    object({
      object: constant("embedding"),
      index: integer,
      embedding: { anyOf: [listOf(number), text] },
    }),
  ),
  model: text,
  usage: object({ prompt_tokens: integer, total_tokens: integer, cost }, ["cost"]),
});

const VideoSubmission = object({
  id: text,
  model: text,
  status: constant("processing"),
  created_at: { type: "string", format: "date-time" },
});

const VideoTask = object(
  {
    id: text,
    model: text,
    status: oneOf(...shownTaskStates),
    progress: { type: "integer", minimum: 0, maximum: 100 },
    created_at: { type: "string", format: "date-time" },
    completed_at: orNull({ type: "string", format: "date-time" }),
    video_url: text,
    usage: object({ total_cost: number }),
    error: object({ code: text, message: text }),
  },
  ["video_url", "usage", "error"],
);

const Video = object({
  id: text,
  object: constant("video"),
  created_at: integer,
  status: oneOf("queued", "in_progress", "completed", "failed"),
  completed_at: orNull(integer),
  error: orNull(object({ code: text, message: text })),
  expires_at: { type: "null" },
  model: text,
  progress: { type: "integer", minimum: 0, maximum: 100 },
  prompt: orNull(text),
  remixed_from_video_id: { type: "null" },
  seconds: text,
  size: oneOf(...knownSizes),
});

/** By the names under which the document refers to them. */
export const answers = {
  Refusal: object({ code: integer, message: text, data: { type: "null" } }),
  Model,
  ModelList: {
    anyOf: [
      object({ object: constant("list"), data: listOf(Model) }),
      page(AnthropicModel),
      object({ models: listOf(GoogleModel), nextPageToken: text }, ["nextPageToken"]),
    ],
  },
  ModelInAnyForm: { anyOf: [Model, AnthropicModel, GoogleModel] },
  ChatCompletion,
  TextCompletion,
  Message,
  ...events,
  TokenCount: object({ input_tokens: integer }),
  Response,
  ResponseTokenCount: object({ object: constant("response.input_tokens"), input_tokens: integer }),
  Compaction: object({
    ...{ id: text, object: constant("response.compaction"), created_at: integer, usage: anything },
    output: listOf(object({ id: text, type: constant("compaction"), encrypted_content: text })),
  }),
  ResponseItems: page(anything),
  Conversation: object({
    ...{ id: text, object: constant("conversation"), created_at: integer, metadata: { type: "object" } },
  }),
  ConversationItem: object({ id: text, type: text }),
  DeletedConversation: object({
    id: text,
    object: constant("conversation.deleted"),
    deleted: { const: true },
  }),
  DeletedResponse: object({ id: text, object: constant("response"), deleted: { const: true } }),
  Embeddings,
  Images: object({ data: listOf(anything) }),
  Rerank: object({
    model: text,
    results: listOf(object({ index: integer, relevance_score: number })),
    usage: anything,
  }),
  Moderation: object({ model: text, results: listOf(anything) }),
  Transcript: object({ text }),
  VideoSubmission,
  VideoTask,
  Video,
  VideoList: page(Video),
  DeletedVideo: object({ id: text, object: constant("video.deleted"), deleted: { const: true } }),
  GeminiAnswer,
  GeminiStream: listOf(events.GeminiEvent),
  GeminiCount: object({ totalTokens: integer }),
  GeminiEmbeddings: object({ embedding: anything, embeddings: listOf(anything) }, [
    "embedding",
    "embeddings",
  ]),
  GeminiPredictions: object({
    predictions: listOf(object({ mimeType: text, bytesBase64Encoded: text, prompt: text }, ["prompt"])),
  }),
  Usage: object({
    object: constant("usage"),
    ...{ isValid: truth, planName: text, unit: text },
    ...{ total: number, used: number, remaining: number },
    ...{ window: oneOf(...capWindows), resets_at: moment, scope: oneOf("key", "account") },
    key_usage: object({ day: number, week: number, month: number }),
    expires_at: orNull(moment),
  }),
  Credits: object({ data: object({ total_credits: number, total_usage: number }) }),
  KeyBalance: object({
    data: object({
      ...{ label: text, limit: orNull(number), limit_remaining: orNull(number), usage: number },
      limit_reset: oneOf("daily", "weekly", "monthly", null),
      ...{ usage_daily: number, usage_weekly: number, usage_monthly: number, is_free_tier: truth },
      expires_at: orNull(moment),
    }),
  }),
  BillingSubscription: object({
    object: constant("billing_subscription"),
    ...{ hard_limit_usd: number, soft_limit_usd: number, access_until: integer },
  }),
  BillingUsage: object({ object: constant("list"), total_usage: number }),
} as const satisfies Record<string, OpenApiSchema>;

export type AnswerName = keyof typeof answers;
