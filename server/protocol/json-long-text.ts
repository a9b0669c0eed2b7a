/** Read without a rest: about a millisecond. */
const PIECE_CHARACTERS = 256 * 1024;
const ESCAPE_LENGTH = "\\uffff".length;

/** Where a piece may end that would end within an escape, or at its end. */
function beforeEscape(raw: string, from: number, end: number): number {
  const last = end - ESCAPE_LENGTH + raw.slice(end - ESCAPE_LENGTH, end).lastIndexOf("\\");
  if (last < end - ESCAPE_LENGTH) {
    return end;
  }
  let first = last;
  while (first > from && raw[first - 1] === "\\") {
    first--;
  }
  // Of an even number of backslashes each belongs to another.
  return (last - first) % 2 === 0 ? last : end;
}

/**
 * What stands between the quotes of a JSON string, in steps between which the work may rest: the engine takes a long text with
 * escapes in one go. Throws SyntaxError.
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
