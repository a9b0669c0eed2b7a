import { both } from "@/server/base/language";
import { buys, EVENTS, type Forwarded } from "./endpoint";
import { file, modelMember, type OpenApiSchema, object, text } from "./schema";

const members = {
  model: modelMember,
  file,
  response_format: { type: "string", pattern: "^[a-z_]{1,40}$" },
  prompt: { type: "string", maxLength: 32_000 },
  language: text,
};

const formWith = (more: Record<string, OpenApiSchema>) =>
  object({ ...members, ...more }, ["response_format", "prompt", "language", ...Object.keys(more)]);

const transcript = { name: "Transcript", schema: object({ text }) };

/** POST /v1/audio/transcriptions (spec 4.13). */
export const transcriptions = {
  ...buys({
    id: "createTranscription",
    name: "transcriptions",
    path: "/v1/audio/transcriptions",
    isAtDeployments: true,
    tag: "media",
    summary: both("语音转文本", "Transcribe audio"),
    form: { name: "TranscriptionForm", schema: formWith({ stream: { enum: ["true", "false", "1", "0"] } }) },
    answers: [{ status: 200, schema: transcript, types: ["text/plain", EVENTS] }],
  }),
  kind: "transcription",
} as const satisfies Forwarded;

/** POST /v1/audio/translations, which does not stream. */
export const translations = {
  ...buys({
    id: "createTranslation",
    name: "translations",
    path: "/v1/audio/translations",
    isAtDeployments: true,
    tag: "media",
    summary: both("把语音翻译成英文文本", "Translate audio into English text"),
    form: { name: "TranslationForm", schema: formWith({}) },
    answers: [{ status: 200, schema: transcript, types: ["text/plain"] }],
  }),
  kind: "transcription",
} as const satisfies Forwarded;
