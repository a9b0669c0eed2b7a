/** Pages that Google's search brought in, as places of the text that stands on them. */
import { isJsonObject, type JsonObject, numberOf, objects, textOf } from "../fields";
import { type Citation, lengthOf } from "../pivot/citations";
import { asCamelCase } from "./names";

/** More than any answer has; each is looked up in the text. */
const MOST_CITATIONS = 1_000;

/** Google counts bytes; where they do not lead to the words that it names, the words are looked for. null: not there. */
function placeOf(bytes: Buffer, segment: JsonObject): { start: number; end: number } | null {
  const words = Buffer.from(textOf(segment.text));
  if (words.length === 0) {
    return null;
  }
  const told = numberOf(segment.startIndex) ?? 0;
  const isThere = told >= 0 && bytes.subarray(told, told + words.length).equals(words);
  const at = isThere ? told : bytes.indexOf(words);
  if (at === -1) {
    return null;
  }
  const start = lengthOf(bytes.subarray(0, at).toString("utf8"));
  return { start, end: start + lengthOf(words.toString("utf8")) };
}

function readPage(chunk: JsonObject | undefined): { url: string; title: string } | null {
  const page = isJsonObject(chunk?.web) ? chunk.web : {};
  return textOf(page.uri) === "" ? null : { url: textOf(page.uri), title: textOf(page.title) };
}

/** What a candidate's `groundingMetadata` says of `text`, a text of it. */
export function* citationsIn(candidate: JsonObject, text: string): Generator<void, Citation[]> {
  if (!isJsonObject(candidate.groundingMetadata) || text === "") {
    return [];
  }
  const { groundingChunks, groundingSupports } = asCamelCase(candidate.groundingMetadata);
  const pages = Array.isArray(groundingChunks)
    ? groundingChunks.map((chunk) => readPage(isJsonObject(chunk) ? chunk : undefined))
    : [];
  const bytes = Buffer.from(text);
  const citations: Citation[] = [];
  for (const support of objects(groundingSupports).slice(0, MOST_CITATIONS).map(asCamelCase)) {
    yield;
    const place = isJsonObject(support.segment) ? placeOf(bytes, asCamelCase(support.segment)) : null;
    const { groundingChunkIndices: indices } = support;
    for (const index of place && Array.isArray(indices) ? indices : []) {
      const page = typeof index === "number" ? pages[index] : null;
      if (place && page && citations.length < MOST_CITATIONS) {
        citations.push({ ...page, ...place });
      }
    }
  }
  return citations;
}
