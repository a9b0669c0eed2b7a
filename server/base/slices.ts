/** Characters of a text that are processed without a pause: about a millisecond. */
export const SLICE_CHARACTERS = 64 * 1024;

/** The end of a slice near `end`: one code unit earlier if the slice would split a character. */
export const sliceEnd = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;

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
