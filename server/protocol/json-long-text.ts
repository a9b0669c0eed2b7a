/** Characters decoded between two pauses: about a millisecond. */
const PIECE_CHARACTERS = 256 * 1024;
const ESCAPE_LENGTH = "\\uffff".length;

/** Returns the position of an escape that `end` would split, otherwise `end`. */
function beforeEscape(raw: string, from: number, end: number): number {
  const last = end - ESCAPE_LENGTH + raw.slice(end - ESCAPE_LENGTH, end).lastIndexOf("\\");
  if (last < end - ESCAPE_LENGTH) {
    return end;
  }
  let first = last;
  while (first > from && raw[first - 1] === "\\") {
    first--;
  }
  // In an even run of backslashes each one escapes or is escaped by another.
  return (last - first) % 2 === 0 ? last : end;
}

/**
 * Decodes the text between the quotes of a JSON string. Yields, so that long work can pause: the engine decodes a long
 * text with escapes without a pause. Throws SyntaxError.
 */
export function* decodeInSteps(raw: string, from: number, end: number): Generator<void, string> {
  let text = "";
  for (let place = from; place < end; ) {
    const next = place + PIECE_CHARACTERS;
    const to = next < end ? beforeEscape(raw, place, next) : end;
    text += JSON.parse(`"${raw.slice(place, to)}"`) as string;
    place = to;
    yield;
  }
  return text;
}
