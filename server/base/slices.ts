/** Characters of a text that are processed without a pause: about a millisecond. */
export const SLICE_CHARACTERS = 64 * 1024;

/** The end of a slice near `end`: one code unit earlier if the slice would split a character. */
export const sliceEnd = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;

/** A text, or the parts of one that is too long to be joined in one turn of the event loop. */
export type LongText = string | readonly string[];

export const isWhole = (text: LongText): text is string => typeof text === "string";

/** The slices of all parts. */
export function* slicesOfAll(text: LongText, limit = SLICE_CHARACTERS): Generator<string> {
  for (const part of isWhole(text) ? [text] : text) {
    yield* slicesOf(part, limit);
  }
}

/** The first characters of a text. */
export function beginningOf(text: LongText, length: number): string {
  if (isWhole(text)) {
    return text.slice(0, length);
  }
  let begun = "";
  for (const part of text) {
    if (begun.length >= length) {
      break;
    }
    begun += part;
  }
  return begun.slice(0, length);
}

/**
 * Splits a text into slices of at most `limit` code units, without splitting a character. The first begins at `from`.
 */
export function* slicesOf(text: string, limit = SLICE_CHARACTERS, from = 0): Generator<string> {
  for (let place = from; place < text.length; ) {
    const to = sliceEnd(text, place + limit);
    yield text.slice(place, to);
    place = to;
  }
}
