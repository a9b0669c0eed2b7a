/** Token estimates of media in a prompt: pictures, files, sound and film. */
import { isJsonObject, type JsonObject, wordOf } from "../fields";

/** A picture, by the size that vendors bill for a large one; never its base64 text. */
export const IMAGE_TOKENS = 1_600;
/** Base64 characters of audio, video or a PDF per token, roughly. */
const MEDIA_CHARACTERS_PER_TOKEN = 100;
const mediaTypes = /^(?:audio|video)\/|^application\/pdf/i;

/**
 * Counts a text of a message. `lengthOf`: the length of a text of which only the beginning was read; left out: all texts
 * were read.
 */
export type TextCounter = { (text: string): number; lengthOf?: (text: string) => number };

/** A file in base64, behind `head` characters of a text. */
type File = { text: string; head: number };

/** Tokens of a file in base64. A file of text, or of an unknown type, counts as the text that it holds. */
export function countFile(mediaType: string, { text, head }: File, count: TextCounter): number {
  const isImage = /^image\//i.test(mediaType);
  if (isImage || mediaTypes.test(mediaType)) {
    const length = (count.lengthOf?.(text) ?? text.length) - head;
    return isImage ? IMAGE_TOKENS : length / MEDIA_CHARACTERS_PER_TOKEN;
  }
  return count(Buffer.from(text.slice(head), "base64").toString("utf8"));
}

/** Tokens of a file in a data URL; any other text counts as text. Some clients send only a PDF's base64. */
function countUrl(url: unknown, count: TextCounter): number {
  const text = wordOf(url);
  const [head, mediaType] = /^data:([^,;]{0,100})[^,]{0,200};base64,/i.exec(text) ?? [];
  if (head !== undefined) {
    return countFile(mediaType ?? "", { text, head: head.length }, count);
  }
  return text.startsWith("JVBERi0") ? countFile("application/pdf", { text, head: 0 }, count) : count(text);
}

/** The member that holds media, by the type of its part. */
export const mediaMembers = new Map<unknown, string>([
  ...["image_url", "video_url", "audio_url", "input_audio", "file"].map((name) => [name, name] as const),
  ["input_image", "image_url"],
  ["input_file", "file_data"],
]);

export function countMedia(value: unknown, count: TextCounter): number {
  if (!isJsonObject(value)) {
    return countUrl(value, count);
  }
  const { url, data, file_data: file, ...rest } = value;
  const audio = typeof data === "string" ? countFile("audio/any", { text: data, head: 0 }, count) : 0;
  return countUrl(url ?? "", count) + countUrl(file ?? "", count) + audio + count(JSON.stringify(rest));
}

/** A document that the upstream fetches, with unknown length: some twenty pages. */
const DOCUMENT_TOKENS = 30_000;

/** Six minutes of video as Google counts it, an hour as others do; audio counts as a document. */
const FILM_TOKENS = 100_000;

const isDocumentByAddress = ({ type, file_url: address, source }: JsonObject): boolean =>
  (type === "input_file" && Boolean(address)) ||
  (type === "document" && isJsonObject(source) && source.type === "url");

/** Whether a part holds only the address of its media. */
function isElsewhere(media: unknown): boolean {
  const url = isJsonObject(media) ? media.url : media;
  return typeof url === "string" && url !== "" && !/^data:/i.test(url);
}

/** Tokens of media that the upstream fetches. */
export function countFetched(part: JsonObject): number {
  if (part.type === "video_url" && isElsewhere(part.video_url)) {
    return FILM_TOKENS;
  }
  const isSound = part.type === "audio_url" && isElsewhere(part.audio_url);
  return isSound || isDocumentByAddress(part) ? DOCUMENT_TOKENS : 0;
}
