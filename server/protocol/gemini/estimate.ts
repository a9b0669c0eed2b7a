import { isJsonObject, type JsonObject, textOf } from "../fields";
import { carriedText } from "../pivot/sealed";
import { estimateInput } from "../usage/estimate";
import { inCamelCase } from "./names";
import type { GeminiRequest } from "./request";
import { readSignature } from "./signatures";

/** Media in a form that the estimate counts, never as their base64 text. */
function countable(mediaType: string, source: JsonObject): JsonObject {
  const type = mediaType.startsWith("image/") ? "image" : "document";
  return { type, source: { ...source, media_type: mediaType } };
}

/** A YouTube video needs no type. */
const isFilm = (mediaType: string, url: string) =>
  mediaType.startsWith("video/") || /^https?:\/\/(?:[\w-]+\.)?youtu(?:be\.com|\.be)\//i.test(url);

/** Media that Google fetches, in a form that the estimate counts. */
function fetched(mediaType: string, url: string): JsonObject {
  if (isFilm(mediaType, url)) {
    return { type: "video_url", video_url: url };
  }
  return mediaType.startsWith("audio/")
    ? { type: "audio_url", audio_url: url }
    : countable(mediaType, { type: "url", url });
}

/** The media of a part. */
function mediaOf({ inlineData, fileData }: JsonObject): JsonObject[] {
  const inline = isJsonObject(inlineData) ? inCamelCase(inlineData) : null;
  const file = isJsonObject(fileData) ? inCamelCase(fileData) : null;
  return [
    ...(inline ? [countable(textOf(inline.mimeType), { type: "base64", data: inline.data })] : []),
    ...(file ? [fetched(textOf(file.mimeType), textOf(file.fileUri))] : []),
  ];
}

/** Reads a part of a tool's result. Results do not nest. */
function readableShown(value: unknown): unknown[] {
  if (!isJsonObject(value)) {
    return [value];
  }
  const { inlineData, fileData, ...rest } = inCamelCase(value);
  return [...mediaOf({ inlineData, fileData }), ...(Object.keys(rest).length > 0 ? [rest] : [])];
}

const listOf = (parts: unknown): unknown[] => (Array.isArray(parts) ? parts : [parts ?? ""]);

/** A tool's response and its media. */
function readableResult(response: JsonObject): unknown[] {
  const { parts, ...result } = inCamelCase(response);
  return [result, ...(parts === undefined ? [] : listOf(parts).flatMap(readableShown))];
}

/** The content of a part that a model reads. Of thinking in a signature, the model reads its text. */
function readable(value: unknown): unknown[] {
  if (!isJsonObject(value)) {
    return [value];
  }
  const { thoughtSignature, inlineData, fileData, functionResponse, ...part } = inCamelCase(value);
  const media = mediaOf({ inlineData, fileData });
  const result = isJsonObject(functionResponse) ? readableResult(functionResponse) : [];
  const carried = readSignature(textOf(thoughtSignature)).map((block) =>
    block.type === "thinking" ? carriedText(block) : "",
  );
  const rest = { ...part, ...(carried.length > 0 && { carried: carried.join("") }) };
  return [...media, ...result, ...(Object.keys(rest).length > 0 ? [rest] : [])];
}

const partsOf = (content: unknown): unknown =>
  isJsonObject(content) ? listOf(content.parts).flatMap(readable) : content;

/** The estimate of a request as a prompt, in tokens. */
export function estimateGemini({
  camelFields,
  contents,
}: Pick<GeminiRequest, "camelFields" | "contents">): number {
  const config = isJsonObject(camelFields.generationConfig) ? inCamelCase(camelFields.generationConfig) : {};
  return estimateInput({
    system: partsOf(camelFields.systemInstruction),
    messages: contents.map((content) => ({ role: content.role ?? "user", content: partsOf(content) })),
    tools: camelFields.tools,
    response_format: config.responseSchema ?? config.responseJsonSchema,
  });
}
