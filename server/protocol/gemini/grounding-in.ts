/** Pages that Google's search found, as citations with positions in the text. */
import { isJsonObject, type JsonObject, numberOf, objects, textOf } from "../fields";
import { type Citation, lengthInSteps, lengthOf } from "../pivot/citations";
import { asCamelCase } from "./names";

/** More than any answer has; the gateway searches the text for each. */
const MOST_CITATIONS = 1_000;
/** The most bytes of a text searched for citations, all searches added up: a quarter of a second. */
const MOST_SEARCHED_BYTES = 64 * 1024 * 1024;
/** Bytes searched between two pauses: about a millisecond at worst. */
const BYTES_PER_STEP = 256 * 1024;

/** Finds the words of citations in a text and returns their byte positions. */
class WordFinder {
  readonly #bytes: Buffer;
  #left = MOST_SEARCHED_BYTES;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Google counts bytes; if its position does not match the words that it names, the text is searched for them. -1: not
   * found.
   */
  *find(words: Buffer, position: number): Generator<void, number> {
    const bytes = this.#bytes;
    if (words.length === 0) {
      return -1;
    }
    if (position >= 0 && bytes.subarray(position, position + words.length).equals(words)) {
      return position;
    }
    for (let from = 0; from < bytes.length && this.#left > 0; from += BYTES_PER_STEP) {
      const at = bytes.subarray(from, from + BYTES_PER_STEP + words.length - 1).indexOf(words);
      if (at !== -1) {
        return from + at;
      }
      this.#left -= BYTES_PER_STEP + words.length;
      yield;
    }
    return -1;
  }
}

/**
 * Counts the characters before each of these byte positions, in one pass through the text. Each position is the start
 * of a character.
 */
function* charactersBefore(bytes: Buffer, places: readonly number[]): Generator<void, Map<number, number>> {
  const before = new Map<number, number>();
  let byte = 0;
  let characters = 0;
  for (const place of [...new Set(places)].sort((a, b) => a - b)) {
    while (byte < place) {
      let to = Math.min(place, byte + BYTES_PER_STEP);
      while (to < place && ((bytes[to] ?? 0) & 0xc0) === 0x80) {
        to++;
      }
      characters += lengthOf(bytes.toString("utf8", byte, to));
      byte = to;
      yield;
    }
    before.set(place, characters);
  }
  return before;
}

function readPage(chunk: JsonObject | undefined): { url: string; title: string } | null {
  const page = isJsonObject(chunk?.web) ? chunk.web : {};
  return textOf(page.uri) === "" ? null : { url: textOf(page.uri), title: textOf(page.title) };
}

/** The citations of `text`, a text of the candidate, from its `groundingMetadata`. */
export function* citationsIn(candidate: JsonObject, text: string): Generator<void, Citation[]> {
  if (!isJsonObject(candidate.groundingMetadata) || text === "") {
    return [];
  }
  const { groundingChunks, groundingSupports } = asCamelCase(candidate.groundingMetadata);
  const pages = Array.isArray(groundingChunks)
    ? groundingChunks.map((chunk) => readPage(isJsonObject(chunk) ? chunk : undefined))
    : [];
  const bytes = Buffer.from(text);
  const words = new WordFinder(bytes);
  const matches: { at: number; length: number; pages: { url: string; title: string }[] }[] = [];
  for (const support of objects(groundingSupports).slice(0, MOST_CITATIONS).map(asCamelCase)) {
    yield;
    const segment = isJsonObject(support.segment) ? asCamelCase(support.segment) : {};
    const quote = textOf(segment.text);
    const at = yield* words.find(Buffer.from(quote), numberOf(segment.startIndex) ?? 0);
    const { groundingChunkIndices: indices } = support;
    const cited = (Array.isArray(indices) ? indices : []).map((index) =>
      typeof index === "number" ? pages[index] : null,
    );
    if (at !== -1) {
      matches.push({
        at,
        length: yield* lengthInSteps(quote),
        pages: cited.filter((page) => page !== null && page !== undefined),
      });
    }
  }
  const before = yield* charactersBefore(
    bytes,
    matches.map(({ at }) => at),
  );
  const citations = matches.flatMap(({ at, length, pages }) => {
    const start = before.get(at) ?? 0;
    return pages.map((page): Citation => ({ ...page, start, end: start + length }));
  });
  return citations.slice(0, MOST_CITATIONS);
}
