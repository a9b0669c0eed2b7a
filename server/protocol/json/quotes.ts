/** Where texts and their pieces end in JSON. */

const [QUOTE, BACKSLASH] = [34, 92];

/**
 * The most escaped quotes before STRING_PART reads a text: texts in which every other character is one take a third of
 * the time.
 */
const MAX_HOPS = 16;
/** A part of a text. It is bounded, because the engine remembers each escape of a match. */
const STRING_PART = /[^"\\]*(?:\\.[^"\\]*){0,1000}/sy;

const ESCAPE_LENGTH = "\\uffff".length;

/** Where the run of backslashes before a position begins, but not before `least`. */
function startOfRun(text: string, place: number, least: number): number {
  let first = place;
  while (first > least && text.charCodeAt(first - 1) === BACKSLASH) {
    first--;
  }
  return first;
}

/** The position of the quote that closes a text from `from` on. -1: none, or many escaped quotes come before it. */
export function nearQuote(text: string, from: number): number {
  let place = from;
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    const quote = text.indexOf('"', place);
    if (quote === -1 || (quote - startOfRun(text, quote, from)) % 2 === 0) {
      return quote;
    }
    place = quote + 1;
  }
  return -1;
}

/** The position of the quote that closes a text, which begins here. -1: none. */
export function closingQuote(text: string): number {
  const near = nearQuote(text, 0);
  if (near !== -1 || !text.includes('"')) {
    return near;
  }
  let place = 0;
  while (text.charCodeAt(place) !== QUOTE) {
    STRING_PART.lastIndex = place;
    STRING_PART.test(text);
    if (STRING_PART.lastIndex === place) {
      return -1;
    }
    place = STRING_PART.lastIndex;
  }
  return place;
}

/** The length of a piece without an escape that its end would split. The piece begins outside any escape. */
export function wholeEscapes(piece: string): number {
  const last = piece.lastIndexOf("\\");
  if (last < piece.length - ESCAPE_LENGTH) {
    return piece.length;
  }
  // In an even run of backslashes each one escapes or is escaped by another.
  return (last + 1 - startOfRun(piece, last + 1, 0)) % 2 === 1 ? last : piece.length;
}
