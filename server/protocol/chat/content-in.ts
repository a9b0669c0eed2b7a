import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, requireText } from "../cannot-convert";
import { isJsonObject, type JsonObject, wordOf } from "../fields";
import type { Block, TextBlock } from "../pivot/conversation";
import { readDocument, readFile, readImage } from "../pivot/media";
import { readMark } from "../prompt-cache";

/** Blank text gives no block: it carries no meaning. */
export const readTexts = (text: string, from: JsonObject = {}): TextBlock[] =>
  text.trim() === "" ? [] : [{ type: "text", text, ...readMark(from) }];

function base64Url(source: JsonObject, field: string): string {
  const mediaType = requireText(source.media_type, `${field}.media_type`);
  return `data:${mediaType};base64,${requireText(source.data, `${field}.data`)}`;
}

/** Media that already has the messages dialect's form (Cursor sends it to the chat endpoint). */
function readNativeMedia(part: JsonObject, place: string): Block {
  const source = isJsonObject(part.source) ? part.source : {};
  const field = `${place}.source`;
  if (part.type === "image" && source.type === "url") {
    return readImage(source.url, place);
  }
  if (part.type === "document" && source.type === "text") {
    return readDocument({ type: "text", text: requireText(source.data, `${field}.data`) }, part.title, place);
  }
  if (source.type !== "base64") {
    return cannotConvert(errorMessages.notConvertible(`${field}.source.type`));
  }
  const url = base64Url(source, field);
  return part.type === "image" ? readImage(url, place) : readFile(url, part.title, place);
}

function readMedia(part: JsonObject, field: string): Block[] {
  switch (part.type) {
    case "image_url":
      return isJsonObject(part.image_url)
        ? [readImage(part.image_url.url, field, part.image_url.detail)]
        : [readImage(part.image_url, field)];
    case "file": {
      const file = isJsonObject(part.file) ? part.file : {};
      return file.file_data
        ? [readFile(file.file_data, file.filename, field)]
        : cannotConvert(errorMessages.askForFileData(`${field}.file.file_id`));
    }
    case "image":
    case "document":
      return [readNativeMedia(part, field)];
    default:
      // Some clients name text differently (`input_text`).
      return typeof part.text === "string"
        ? readTexts(part.text)
        : cannotConvert(errorMessages.valueNotConvertible(`${field}.type`, wordOf(part.type)));
  }
}

/** Reads one part of a message's content as a block; blank text gives none. Throws as `readContent` does. */
export function readPart(part: unknown, field: string): Block[] {
  if (!isJsonObject(part)) {
    return readTexts(requireText(part, field));
  }
  if (part.type === "text" || part.type === "refusal") {
    return readTexts(requireText(part[part.type], `${field}.${part.type}`), part);
  }
  return readMedia(part, field).map((block) => ({ ...block, ...readMark(part) }));
}

/** Converts each part of a content; plain text is one part. Throws cannotConvert for content of another form. */
export function mapParts(
  content: unknown,
  field: string,
  convert: (part: unknown, field: string) => Block[],
): Block[] {
  if (Array.isArray(content)) {
    return content.flatMap((part, index) => convert(part, `${field}[${index}]`));
  }
  return typeof content === "string"
    ? convert(content, field)
    : cannotConvert(errorMessages.mustBeContent(field));
}

/** A message's content (a string or parts) as blocks. Throws cannotConvert for parts that have no counterpart. */
export const readContent = (content: unknown, field: string): Block[] => mapParts(content, field, readPart);
