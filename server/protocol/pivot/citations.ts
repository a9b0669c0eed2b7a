import { slicesOf } from "@/server/base/slices";
import { mapInSteps } from "@/server/base/turns";
import { isJsonObject, type JsonObject, textOf } from "../fields";

/** A page that a text names as its source. `start`, `end`: of the words that it stands for, in characters of a text. */
export type Citation = { url: string; title: string; start: number; end: number };

/** Characters as OpenAI and Python count them: the two halves of one are one, also where a stream parts them. */
export const lengthOf = (text: string): number => text.length - (text.match(/[\udc00-\udfff]/g)?.length ?? 0);

/** Counts a text's characters as above, in steps between which the work may rest. */
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

/** An annotation's members as the chat and Responses dialects call them. null: it names no page. */
export function readUrlCitation(sent: unknown): Citation | null {
  if (!isJsonObject(sent) || textOf(sent.url) === "") {
    return null;
  }
  const start = placeOf(sent.start_index);
  const end = Math.max(start, placeOf(sent.end_index));
  return { url: textOf(sent.url), title: textOf(sent.title), start, end };
}

/** Reads the annotations that name a page, in steps. `read` gives null for any other. */
export function* readCitations(
  list: readonly JsonObject[],
  read: (sent: JsonObject) => Citation | null,
): Generator<void, Citation[]> {
  const citations = yield* mapInSteps(list, read);
  return citations.filter((citation) => citation !== null);
}

/** A citation whose text stands `by` characters further on. Never before the beginning. */
export const moved = (citation: Citation, by: number): Citation => ({
  ...citation,
  start: Math.max(0, citation.start + by),
  end: Math.max(0, citation.end + by),
});

/** What `readUrlCitation` reads. */
export const writeUrlCitation = ({ url, title, start, end }: Citation) => ({
  start_index: start,
  end_index: end,
  title,
  url,
});
