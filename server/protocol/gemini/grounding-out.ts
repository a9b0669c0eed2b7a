/** Pages that another vendor's model names, as Google tells of those that its search brought in. */
import type { JsonObject } from "../fields";
import type { Citation } from "../pivot/citations";

/** A text of an answer and its citations, places counted in its characters. */
export type Cited = { text: string; citations: readonly Citation[] };

/** More than any answer has; each one's words are told again. */
const MOST_CITATIONS = 1_000;

/** `groundingMetadata` of a candidate, whose places are in bytes of all its texts. null: nothing is cited. */
export function* writeGrounding(texts: readonly Cited[]): Generator<void, JsonObject | null> {
  const pages = new Map<string, { index: number; title: string }>();
  const supports: JsonObject[] = [];
  let before = 0;
  for (const { text, citations } of texts) {
    const characters = citations.length > 0 ? [...text] : [];
    for (const { url, title, start, end } of citations) {
      if (supports.length >= MOST_CITATIONS) {
        break;
      }
      yield;
      const page = pages.get(url) ?? { index: pages.size, title };
      pages.set(url, page);
      const startIndex = before + Buffer.byteLength(characters.slice(0, start).join(""));
      const words = characters.slice(start, end).join("");
      supports.push({
        segment: { startIndex, endIndex: startIndex + Buffer.byteLength(words), text: words },
        groundingChunkIndices: [page.index],
      });
    }
    before += Buffer.byteLength(text);
  }
  return supports.length === 0
    ? null
    : {
        groundingChunks: [...pages].map(([uri, { title }]) => ({ web: { uri, title } })),
        groundingSupports: supports,
      };
}
