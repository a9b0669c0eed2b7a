/** What is answered, as docs/spec.md section 2 has it. Objects may have more members than are listed. */
import { shownTaskStates } from "@/server/base/facts";
import { knownSizes } from "@/server/protocol/videos/sizes";
import { anything, integer, listOf, number, object, oneOf, orNull, type Schema, text, truth } from "./schema";

const constant = (value: string): Schema => ({ const: value });
const strings = listOf(text);

const cost = number;

const Model = object({ id: text, object: constant("model"), created: integer, owned_by: text });
const AnthropicModel = object({ id: text, type: constant("model"), display_name: text, created_at: text });
const GoogleModel = object({ name: text, displayName: text, supportedGenerationMethods: strings });

const page = (data: Schema) =>
  object({ data: listOf(data), has_more: truth, first_id: orNull(text), last_id: orNull(text) });

const ChatUsage = object(
  {
    prompt_tokens: integer,
    completion_tokens: integer,
    total_tokens: integer,
    completion_tokens_details: object({ reasoning_tokens: integer }, ["reasoning_tokens"]),
    cost,
  },
  ["completion_tokens_details", "cost"],
);

const ChatCompletion = object({
  id: text,
  object: constant("chat.completion"),
  created: integer,
  model: text,
  choices: listOf(
    object({
      index: integer,
      message: object(
        {
          role: constant("assistant"),
          content: orNull(text),
          reasoning_content: orNull(text),
          tool_calls: orNull(listOf(object({ id: text, type: text, function: anything }, ["function"]))),
        },
        ["content", "reasoning_content", "tool_calls"],
      ),
      finish_reason: orNull(oneOf("stop", "length", "tool_calls", "content_filter")),
    }),
  ),
  usage: ChatUsage,
});

const TextCompletion = object({
  id: text,
  object: constant("text_completion"),
  created: integer,
  model: text,
  choices: listOf(object({ index: integer, text, finish_reason: orNull(text) })),
  usage: ChatUsage,
});

const Message = object({
  id: text,
  type: constant("message"),
  role: constant("assistant"),
  model: text,
  content: listOf(object({ type: text })),
  stop_reason: orNull(text),
  stop_sequence: orNull(text),
  usage: object(
    {
      input_tokens: integer,
      output_tokens: integer,
      cache_creation_input_tokens: integer,
      cache_read_input_tokens: integer,
      output_tokens_details: object({ thinking_tokens: integer }, ["thinking_tokens"]),
      cost,
    },
    ["output_tokens_details", "cost"],
  ),
});

const Response = object(
  {
    id: text,
    object: constant("response"),
    created_at: number,
    status: oneOf("completed", "incomplete", "in_progress", "queued", "failed", "cancelled"),
    model: text,
    output: listOf(object({ type: text })),
    previous_response_id: orNull(text),
    store: truth,
    background: orNull(truth),
    error: orNull(object({ code: text, message: text })),
    incomplete_details: orNull(anything),
    usage: orNull(
      object({ input_tokens: integer, output_tokens: integer, total_tokens: integer, cost }, ["cost"]),
    ),
  },
  ["background", "error", "incomplete_details", "usage"],
);

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

const GeminiAnswer = object(
  {
    candidates: listOf(object({ content: anything, finishReason: text }, ["content", "finishReason"])),
    usageMetadata: anything,
    modelVersion: text,
  },
  ["usageMetadata", "modelVersion"],
);

/** By the names that the document refers to them with. */
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
  TokenCount: object({ input_tokens: integer }),
  Response,
  ResponseItems: page(anything),
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
  GeminiStream: listOf(GeminiAnswer),
  GeminiCount: object({ totalTokens: integer }),
  GeminiEmbeddings: object({ embedding: anything, embeddings: listOf(anything) }, [
    "embedding",
    "embeddings",
  ]),
} as const satisfies Record<string, Schema>;

export type AnswerName = keyof typeof answers;
