/** Pages that another vendor's model names, as Google tells of those that its search brought in. */
import type { JsonObject } from "../fields";
import type { Citation } from "../pivot/citations";

/** A text of an answer and its citations, places counted in its characters. */
export type Cited = { text: string; citations: readonly Citation[] };

/** More than any answer has; each one's words are told again. */
const MOST_CITATIONS = 1_000;
/** In all of their words together: many that stand on the same long text would multiply it. */
const MOST_WORDS = 1_000_000;

/** A place in a text, in code units and in bytes. */
type Place = { unit: number; byte: number };

/** Looked through without a rest: below a millisecond. */
const CHARACTERS_PER_STEP = 64 * 1024;
const HALF = /[\ud800-\udbff]/;

/** How many code units so many characters of a text take from here on; fewer where it ends before. */
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

/** Where each of these characters stands, in one pass through the text. Those behind its end stand there. */
function* placesOf(text: string, characters: readonly number[]): Generator<void, Map<number, Place>> {
  const places = new Map<number, Place>();
  let unit = 0;
  let byte = 0;
  let passed = 0;
  for (const wanted of [...new Set(characters)].sort((one, other) => one - other)) {
    while (passed < wanted && unit < text.length) {
      const characters = Math.min(wanted - passed, CHARACTERS_PER_STEP);
      const units = unitsOf(text, unit, characters);
      byte += Buffer.byteLength(text.slice(unit, unit + units));
      unit += units;
      passed += characters;
      yield;
    }
    places.set(wanted, { unit, byte });
  }
  return places;
}

/** `groundingMetadata` of a candidate, whose places are in bytes of all its texts. null: nothing is cited. */
export function* writeGrounding(texts: readonly Cited[]): Generator<void, JsonObject | null> {
  const pages = new Map<string, { index: number; title: string }>();
  const supports: JsonObject[] = [];
  let before = 0;
  let told = 0;
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
      if (told + words.length > MOST_WORDS) {
        continue;
      }
      told += words.length;
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
