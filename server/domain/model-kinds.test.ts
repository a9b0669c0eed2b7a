import { expect, test } from "vitest";
import { kindByName } from "./model-kinds";

test.each([
  ["gpt-4.1", "chat"],
  ["Qwen/Qwen3-235B-A22B-Instruct-2507", "chat"],
  ["text-embedding-3-small", "embedding"],
  ["BAAI/bge-m3", "embedding"],
  ["bge-reranker-v2-m3", "rerank"],
  ["omni-moderation-latest", "moderation"],
  ["gpt-4o-mini-transcribe", "transcription"],
  ["whisper-large-v3-turbo", "transcription"],
  ["gpt-4o-mini-tts", "speech"],
  ["gpt-image-1", "image"],
  ["black-forest-labs/FLUX.1-schnell", "image"],
  ["wan2.2-t2v-plus", "video"],
  ["veo-3.1-generate-preview", "video"],
  ["gpt-realtime-mini", null],
  ["gpt-3.5-turbo-instruct", null],
])("%s is recognised as %s", (name, kind) => {
  expect(kindByName(name)).toBe(kind);
});
