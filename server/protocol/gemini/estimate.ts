import { estimateInput } from "../estimate";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { inCamelCase } from "./names";
import type { GeminiRequest } from "./request";
import { readSignature } from "./signatures";

/** Media as the estimate knows them; never their base64 text. */
function countable(mediaType: string, source: JsonObject): JsonObject {
  const type = mediaType.startsWith("image/") ? "image" : "document";
  return { type, source: { ...source, media_type: mediaType } };
}

/** A film on YouTube needs no type. */
const isFilm = (mediaType: string, url: string) =>
  mediaType.startsWith("video/") || /^https?:\/\/(?:[\w-]+\.)?youtu(?:be\.com|\.be)\//i.test(url);

/** The same of what Google fetches. */
function fetched(mediaType: string, url: string): JsonObject {
  if (isFilm(mediaType, url)) {
    return { type: "video_url", video_url: url };
  }
  return mediaType.startsWith("audio/")
    ? { type: "audio_url", audio_url: url }
    : countable(mediaType, { type: "url", url });
}

/** What a model reads of a part: of thinking that it carries, the text in it. */
function readable(sent: unknown): unknown {
  if (!isJsonObject(sent)) {
    return sent;
  }
  const { thoughtSignature, inlineData, fileData, ...part } = inCamelCase(sent);
  if (isJsonObject(inlineData)) {
    const { data, mimeType } = inCamelCase(inlineData);
    return countable(textOf(mimeType), { type: "base64", data });
  }
  if (isJsonObject(fileData)) {
    const { fileUri, mimeType } = inCamelCase(fileData);
    return fetched(textOf(mimeType), textOf(fileUri));
  }
  const carried = readSignature(textOf(thoughtSignature));
  return { ...part, carried: carried.map((block) => (block.type === "thinking" ? block.text : "")).join("") };
}

const partsOf = (content: unknown): unknown => {
  if (!isJsonObject(content)) {
    return content;
  }
  const { parts } = content;
  return Array.isArray(parts) ? parts.map(readable) : readable(parts ?? "");
};

/** Our estimate of a request as a prompt, in tokens. */
export function estimateGemini({ sent, contents }: Pick<GeminiRequest, "sent" | "contents">): number {
  const config = isJsonObject(sent.generationConfig) ? inCamelCase(sent.generationConfig) : {};
  return estimateInput({
    system: partsOf(sent.systemInstruction),
    messages: contents.map((content) => ({ role: content.role ?? "user", content: partsOf(content) })),
    tools: sent.tools,
    response_format: config.responseSchema ?? config.responseJsonSchema,
  });
}
