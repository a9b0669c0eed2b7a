/** Writes pages cited by another vendor's model in the form of Google's own search results. */
import type { JsonObject } from "../fields";
import type { Citation } from "../pivot/citations";

/** A text of an answer and its citations, with positions in its characters. */
export type Cited = { text: string; citations: readonly Citation[] };

/** More than any answer has; the words of each citation are repeated. */
const MOST_CITATIONS = 1_000;
/** The limit for all citations' words together: many citations of the same long text would multiply it. */
const MOST_WORDS = 1_000_000;

/** A position in a text, in code units and in bytes. */
type TextPosition = { unit: number; byte: number };

/** Characters read between two pauses: less than a millisecond. */
const CHARACTERS_PER_STEP = 64 * 1024;
const HALF = /[\ud800-\udbff]/;

/** How many code units the next `characters` characters take from here; fewer if the text ends before. */
function unitsOf(text: string, from: number, characters: number): number {
  const likely = text.slice(from, from + characters);
  if (!HALF.test(likely)) {
    return likely.length;
  }
  let unit = from;
  for (let left = characters; left > 0 && unit < text.length; left--) {
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  return unit - from;
}

/** The positions of these characters, in one pass through the text. A character beyond its end gets the end. */
function* placesOf(text: string, characters: readonly number[]): Generator<void, Map<number, TextPosition>> {
  const places = new Map<number, TextPosition>();
  let unit = 0;
  let byte = 0;
  let passed = 0;
  for (const target of [...new Set(characters)].sort((a, b) => a - b)) {
    while (passed < target && unit < text.length) {
      const characters = Math.min(target - passed, CHARACTERS_PER_STEP);
      const units = unitsOf(text, unit, characters);
      byte += Buffer.byteLength(text.slice(unit, unit + units));
      unit += units;
      passed += characters;
      yield;
    }
    places.set(target, { unit, byte });
  }
  return places;
}

/** `groundingMetadata` of a candidate, with positions in bytes of all its texts. null: there are no citations. */
export function* writeGrounding(texts: readonly Cited[]): Generator<void, JsonObject | null> {
  const pages = new Map<string, { index: number; title: string }>();
  const supports: JsonObject[] = [];
  let before = 0;
  let quotedLength = 0;
  for (const { text, citations } of texts) {
    const cited = citations.slice(0, MOST_CITATIONS - supports.length);
    const places = yield* placesOf(
      text,
      cited.flatMap(({ start, end }) => [start, end]),
    );
    for (const { url, title, start, end } of cited) {
      const from = places.get(start) ?? { unit: 0, byte: 0 };
      const to = places.get(end) ?? from;
      const words = text.slice(from.unit, to.unit);
      if (quotedLength + words.length > MOST_WORDS) {
        continue;
      }
      quotedLength += words.length;
      const page = pages.get(url) ?? { index: pages.size, title };
      pages.set(url, page);
      supports.push({
        segment: { startIndex: before + from.byte, endIndex: before + to.byte, text: words },
        groundingChunkIndices: [page.index],
      });
    }
    before += Buffer.byteLength(text);
    yield;
  }
  return supports.length === 0
    ? null
    : {
        groundingChunks: [...pages].map(([uri, { title }]) => ({ web: { uri, title } })),
        groundingSupports: supports,
      };
}
