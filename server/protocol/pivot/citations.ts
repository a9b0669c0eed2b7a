import { slicesOf } from "@/server/base/slices";
import { mapInSteps } from "@/server/base/turns";
import { isJsonObject, type JsonObject, textOf } from "../fields";

/** A page that a text cites. `start`, `end`: the position of the cited words in a text, in characters. */
export type Citation = { url: string; title: string; start: number; end: number };

/**
 * Characters as OpenAI and Python count them: the two halves of a character count once, even if a stream separates
 * them.
 */
export const lengthOf = (text: string): number => text.length - (text.match(/[\udc00-\udfff]/g)?.length ?? 0);

/** Counts characters as above. Yields, so that long work can pause. */
export function* lengthInSteps(text: string): Generator<void, number> {
  let length = 0;
  for (const slice of slicesOf(text)) {
    length += lengthOf(slice);
    yield;
  }
  return length;
}

const placeOf = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** Reads an annotation as the chat and Responses dialects write it. null: it names no page. */
export function readUrlCitation(annotation: unknown): Citation | null {
  if (!isJsonObject(annotation) || textOf(annotation.url) === "") {
    return null;
  }
  const start = placeOf(annotation.start_index);
  const end = Math.max(start, placeOf(annotation.end_index));
  return { url: textOf(annotation.url), title: textOf(annotation.title), start, end };
}

/** Reads the annotations that name a page. Yields. `read` returns null for any other. */
export function* readCitations(
  list: readonly JsonObject[],
  read: (annotation: JsonObject) => Citation | null,
): Generator<void, Citation[]> {
  const citations = yield* mapInSteps(list, read);
  return citations.filter((citation) => citation !== null);
}

/** A citation shifted by `by` characters, but never before the beginning. */
export const moved = (citation: Citation, by: number): Citation => ({
  ...citation,
  start: Math.max(0, citation.start + by),
  end: Math.max(0, citation.end + by),
});

/** Writes the form that `readUrlCitation` reads. */
export const writeUrlCitation = ({ url, title, start, end }: Citation) => ({
  start_index: start,
  end_index: end,
  title,
  url,
});
