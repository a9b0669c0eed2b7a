/** Pictures and files of clients in any dialect: an address, or a data URL. */
import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalText, requireText } from "../cannot-convert";
import type { Block, Detail, DocumentBlock, ImageBlock } from "./conversation";

const BASE64_URL = /^data:/i;

/** The longest media type with its parameters is shorter. */
const MAX_HEAD_CHARACTERS = 1_000;

/** Base64 without white space; a decoder gives the same bytes. */
const compactBase64 = (data: string): string =>
  /\s/.test(data) ? Buffer.from(data, "base64").toString("base64") : data;

/** The parts of a data URL, which may have parameters (`;charset=…`). null: no data URL, or not base64. */
function readDataUrl(url: string): { type: "base64"; mediaType: string; data: string } | null {
  const comma = url.slice(0, MAX_HEAD_CHARACTERS).indexOf(",");
  if (!BASE64_URL.test(url) || comma === -1) {
    return null;
  }
  const [mediaType = "", ...parameters] = url
    .slice("data:".length, comma)
    .toLowerCase()
    .split(";")
    .map((word) => word.trim());
  return parameters.includes("base64")
    ? {
        type: "base64",
        mediaType: mediaType === "image/jpg" ? "image/jpeg" : mediaType,
        data: compactBase64(url.slice(comma + 1)),
      }
    : null;
}

const looks: readonly unknown[] = ["low", "high", "original"] satisfies Detail[];
const isDetail = (value: unknown): value is Detail => looks.includes(value);

/** `address`: an address or a data URL. `detail`: the client's value. Throws cannotConvert for anything else. */
export function readImage(address: unknown, field: string, detail?: unknown): ImageBlock {
  const url = requireText(address, `${field}.url`);
  const source = /^https?:/i.test(url) ? { type: "url" as const, url } : readDataUrl(url);
  return source
    ? { type: "image", source, ...(isDetail(detail) && { detail }), field }
    : cannotConvert(errorMessages.imageForm(field));
}

const isTextType = (mediaType: string) =>
  /^(text\/|application\/(json|xml|yaml|x-yaml|javascript)$)/.test(mediaType);

export const readDocument = (
  source: DocumentBlock["source"],
  name: unknown,
  field: string,
): DocumentBlock => ({
  type: "document",
  source,
  title: optionalText(name, `${field}.name`),
  context: "",
  field,
});

/** Reads a data URL. `name`: its title. Throws cannotConvert for anything else. */
export function readFile(url: unknown, name: unknown, field: string): Block {
  // Some clients send only a PDF's base64.
  const address =
    typeof url === "string" && url.startsWith("JVBERi0") ? `data:application/pdf;base64,${url}` : url;
  const file = typeof address === "string" ? readDataUrl(address) : null;
  if (!file) {
    return cannotConvert(errorMessages.fileForm(field));
  }
  if (file.mediaType.startsWith("image/")) {
    return { type: "image", source: file, field };
  }
  return isTextType(file.mediaType)
    ? readDocument({ type: "text", text: Buffer.from(file.data, "base64").toString("utf8") }, name, field)
    : readDocument(file, name, field);
}
