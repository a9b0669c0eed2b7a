import { details } from "@/server/base/details";
import { cannotConvert, optionalText, requireText } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, wordOf } from "../fields";

/** Where in the client's request something stands, and what the upstream takes. */
export type Place = { field: string; takes: Pick<Capabilities, "images" | "documents"> };

/** A prompt cache mark, as LiteLLM's and OpenRouter's clients put it on parts, messages and tools. */
export function cacheMark({ cache_control: mark }: JsonObject): JsonObject {
  if (!isJsonObject(mark) || mark.type !== "ephemeral") {
    return {};
  }
  const { ttl } = mark;
  return { cache_control: { type: "ephemeral", ...((ttl === "5m" || ttl === "1h") && { ttl }) } };
}

/** No block for blank text: the messages dialect refuses one (claude-code-router#4). */
export function textBlocks(text: string, from: JsonObject = {}): JsonObject[] {
  return text.trim() !== "" ? [{ type: "text", text, ...cacheMark(from) }] : [];
}

const BASE64_URL = /^data:/i;

/** A media type and its parameters are shorter. */
const MAX_HEAD_CHARACTERS = 1_000;

/** Base64 without white space, of which a decoder makes the same. */
const compactBase64 = (data: string): string =>
  /\s/.test(data) ? Buffer.from(data, "base64").toString("base64") : data;

/** A data URL's parts; it may have parameters (`;charset=…`). null: none, or not base64. */
function parseDataUrl(url: string): { mediaType: string; data: string } | null {
  const comma = url.slice(0, MAX_HEAD_CHARACTERS).indexOf(",");
  if (!BASE64_URL.test(url) || comma === -1) {
    return null;
  }
  const [mediaType = "", ...parameters] = url
    .slice("data:".length, comma)
    .toLowerCase()
    .split(";")
    .map((word) => word.trim());
  return parameters.includes("base64") ? { mediaType, data: compactBase64(url.slice(comma + 1)) } : null;
}

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function imageSource(sent: unknown, { field, takes }: Place): JsonObject {
  const url = requireText(sent, `${field}.url`);
  if (takes.images === "none") {
    return cannotConvert(details.noImages(field));
  }
  if (/^https?:/i.test(url)) {
    // The upstream fetches it; we never do (litellm#16760).
    return takes.images === "url" ? { type: "url", url } : cannotConvert(details.noImageAddresses(field));
  }
  const image = parseDataUrl(url);
  const mediaType = image?.mediaType === "image/jpg" ? "image/jpeg" : image?.mediaType;
  if (!image || !mediaType || !imageTypes.has(mediaType)) {
    return cannotConvert(details.imageForm(field));
  }
  return { type: "base64", media_type: mediaType, data: image.data };
}

const isTextType = (mediaType: string) =>
  /^(text\/|application\/(json|xml|yaml|x-yaml|javascript)$)/.test(mediaType);

function textFile(text: string, title: JsonObject, { takes }: Place): JsonObject[] {
  if (text.trim() === "") {
    return [];
  }
  return takes.documents
    ? [{ type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...title }]
    : textBlocks([title.title, text].filter(Boolean).join("\n\n"));
}

function titleOf(name: unknown, { field }: Place): JsonObject {
  const title = optionalText(name, `${field}.name`);
  return title === "" ? {} : { title };
}

function fileBlocks(url: unknown, name: unknown, place: Place): JsonObject[] {
  // Some clients send a PDF's base64 alone.
  const sent =
    typeof url === "string" && url.startsWith("JVBERi0") ? `data:application/pdf;base64,${url}` : url;
  const file = typeof sent === "string" ? parseDataUrl(sent) : null;
  if (!file) {
    return cannotConvert(details.fileForm(place.field));
  }
  const title = titleOf(name, place);
  if (file.mediaType.startsWith("image/")) {
    return [{ type: "image", source: imageSource(sent, place) }];
  }
  if (isTextType(file.mediaType)) {
    return textFile(Buffer.from(file.data, "base64").toString("utf8"), title, place);
  }
  if (file.mediaType !== "application/pdf") {
    return cannotConvert(details.fileType(place.field, file.mediaType));
  }
  if (!place.takes.documents) {
    return cannotConvert(details.noDocuments(place.field));
  }
  const source = { type: "base64", media_type: file.mediaType, data: file.data };
  return [{ type: "document", source, ...title }];
}

function base64Url(source: JsonObject, field: string): string {
  const mediaType = requireText(source.media_type, `${field}.media_type`);
  return `data:${mediaType};base64,${requireText(source.data, `${field}.data`)}`;
}

/** Media that already has the messages dialect's form (Cursor sends it on the chat endpoint). */
function nativeMedia(part: JsonObject, place: Place): JsonObject[] {
  const source = isJsonObject(part.source) ? part.source : {};
  const field = `${place.field}.source`;
  if (part.type === "image" && source.type === "url") {
    return [{ type: "image", source: imageSource(source.url, place) }];
  }
  if (part.type === "document" && source.type === "text") {
    return textFile(requireText(source.data, `${field}.data`), titleOf(part.title, place), place);
  }
  if (source.type !== "base64") {
    return cannotConvert(details.notConvertible(`${field}.source.type`));
  }
  const url = base64Url(source, field);
  return part.type === "image"
    ? [{ type: "image", source: imageSource(url, place) }]
    : fileBlocks(url, part.title, place);
}

function mediaBlocks(part: JsonObject, place: Place): JsonObject[] {
  switch (part.type) {
    case "image_url": {
      const url = isJsonObject(part.image_url) ? part.image_url.url : part.image_url;
      return [{ type: "image", source: imageSource(url, place) }];
    }
    case "file": {
      const file = isJsonObject(part.file) ? part.file : {};
      return file.file_data
        ? fileBlocks(file.file_data, file.filename, place)
        : cannotConvert(details.askForFileData(`${place.field}.file.file_id`));
    }
    case "image":
    case "document":
      return nativeMedia(part, place);
    default:
      // Text has other names, too (`input_text`).
      return typeof part.text === "string"
        ? textBlocks(part.text)
        : cannotConvert(details.valueNotConvertible(`${place.field}.type`, wordOf(part.type)));
  }
}

/** One part of a message's content as a block; none for blank text. Throws as `toBlocks` does. */
export function partBlocks(part: unknown, place: Place): JsonObject[] {
  if (!isJsonObject(part)) {
    return textBlocks(requireText(part, place.field));
  }
  if (part.type === "text" || part.type === "refusal") {
    return textBlocks(requireText(part[part.type], `${place.field}.${part.type}`), part);
  }
  return mediaBlocks(part, place).map((block) => ({ ...block, ...cacheMark(part) }));
}

/** What each part of a content comes to; text alone is one part. Throws cannotConvert for content of another form. */
export function mapParts(
  content: unknown,
  field: string,
  convert: (part: unknown, field: string) => JsonObject[],
): JsonObject[] {
  if (Array.isArray(content)) {
    return content.flatMap((part, index) => convert(part, `${field}[${index}]`));
  }
  return typeof content === "string" ? convert(content, field) : cannotConvert(details.mustBeContent(field));
}

/** A chat message's content (a string or parts) as blocks. Throws cannotConvert for parts that have no counterpart. */
export function toBlocks(content: unknown, place: Place): JsonObject[] {
  return mapParts(content, place.field, (part, field) => partBlocks(part, { ...place, field }));
}
