/** Characters of a text that are worked on without a rest: about a millisecond. */
export const SLICE_CHARACTERS = 64 * 1024;

/** The end of a slice that is to end at `end`: one character before it where the slice would end within a character. */
export const sliceEnd = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;

/** A text in slices of at most so many characters, none of which ends within a character. The first begins at `from`. */
export function* slicesOf(text: string, most = SLICE_CHARACTERS, from = 0): Generator<string> {
  for (let place = from; place < text.length; ) {
    const to = sliceEnd(text, place + most);
    yield text.slice(place, to);
    place = to;
  }
}
