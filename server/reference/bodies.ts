/** Request bodies: the schemas that validate, and for forms the fields that their readers use. */
import { chatSchema } from "@/server/protocol/chat/request";
import { completionSchema } from "@/server/protocol/completions/request";
import { embeddingsSchema } from "@/server/protocol/embeddings/schema";
import {
  imageEditsSchema,
  imagesSchema,
  moderationsSchema,
  rerankSchema,
  speechSchema,
} from "@/server/protocol/forwarded/schemas";
import {
  geminiBatchSchema,
  geminiCountSchema,
  geminiEmbedSchema,
  geminiPredictSchema,
  geminiSchema,
} from "@/server/protocol/gemini/schemas";
import { messagesSchema } from "@/server/protocol/messages/request";
import {
  conversationItemsSchema,
  conversationSchema,
  conversationUpdateSchema,
} from "@/server/protocol/responses/conversation-request";
import { responsesSchema } from "@/server/protocol/responses/request";
import { videoSchema } from "@/server/protocol/videos/openai-request";
import { videoTaskSchema } from "@/server/protocol/videos/request";
import { anything, integer, listOf, type OpenApiSchema, object, printed, text } from "./schema";

const file: OpenApiSchema = { type: "string", format: "binary" };
const model: OpenApiSchema = { type: "string", minLength: 1, maxLength: 256 };

/** Adds members that go to the upstream unchanged: nothing here validates them. */
const passed = (schema: OpenApiSchema, names: readonly string[]): OpenApiSchema => ({
  ...schema,
  properties: {
    ...(schema.properties as Record<string, OpenApiSchema>),
    ...Object.fromEntries(names.map((name) => [name, anything])),
  },
});

const chat = passed(printed(chatSchema), [
  "top_p",
  "stop",
  "tools",
  "tool_choice",
  "response_format",
  "reasoning_effort",
  "usage",
]);

const messages = passed(printed(messagesSchema), [
  "top_k",
  "tool_choice",
  "thinking",
  "output_config",
  "usage",
]);

const sharedMembers = {
  response_format: { type: "string", pattern: "^[a-z_]{1,40}$" },
  prompt: { type: "string", maxLength: 32_000 },
};
const transcription = object({ model, file, ...sharedMembers, language: text }, [
  "response_format",
  "prompt",
  "language",
]);

export const bodies = {
  ChatRequest: chat,
  CompletionRequest: printed(completionSchema),
  MessagesRequest: messages,
  ResponsesRequest: passed(printed(responsesSchema), [
    "tool_choice",
    "parallel_tool_calls",
    "text",
    "reasoning",
  ]),
  ConversationRequest: printed(conversationSchema),
  ConversationUpdate: printed(conversationUpdateSchema),
  ConversationItemsRequest: printed(conversationItemsSchema),
  EmbeddingsRequest: passed(printed(embeddingsSchema), ["dimensions"]),
  ImageRequest: passed(printed(imagesSchema), ["size", "quality"]),
  ImageEditRequest: passed(printed(imageEditsSchema), ["mask", "size", "quality"]),
  ImageEditForm: object(
    {
      model,
      prompt: { type: "string", minLength: 1 },
      image: listOf(file),
      mask: file,
      n: { ...integer, minimum: 1, maximum: 10 },
      size: text,
    },
    ["mask", "n", "size"],
  ),
  SpeechRequest: passed(printed(speechSchema), ["voice", "response_format"]),
  RerankRequest: passed(printed(rerankSchema), ["top_n"]),
  ModerationRequest: printed(moderationsSchema),
  TranscriptionForm: {
    ...transcription,
    properties: {
      ...(transcription.properties as Record<string, OpenApiSchema>),
      stream: { enum: ["true", "false", "1", "0"] },
    },
  },
  TranslationForm: transcription,
  VideoTaskRequest: printed(videoTaskSchema),
  VideoRequest: printed(videoSchema),
  GeminiRequest: passed(printed(geminiSchema), ["systemInstruction", "tools", "toolConfig"]),
  GeminiCountRequest: printed(geminiCountSchema),
  GeminiEmbedRequest: printed(geminiEmbedSchema),
  GeminiBatchRequest: printed(geminiBatchSchema),
  GeminiPredictRequest: printed(geminiPredictSchema),
} as const satisfies Record<string, OpenApiSchema>;

export type BodyName = keyof typeof bodies;
