/** A text in slices of at most so many characters, none of which ends within a character. */
export function* slicesOf(text: string, most: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const next = from + most;
    const isWithin = next < text.length && /[\ud800-\udbff]/.test(text.charAt(next - 1));
    const to = isWithin ? next - 1 : next;
    yield text.slice(from, to);
    from = to;
  }
}
