/** Where a slice of a text ends that is to end here, so that it does not end within a character. */
export const sliceEnd = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;

/** A text in slices of at most so many characters, none of which ends within a character. `from`: where the first begins. */
export function* slicesOf(text: string, most: number, from = 0): Generator<string> {
  for (let place = from; place < text.length; ) {
    const to = sliceEnd(text, place + most);
    yield text.slice(place, to);
    place = to;
  }
}
