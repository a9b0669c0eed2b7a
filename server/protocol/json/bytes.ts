/** Texts of a JSON body, in its bytes. */

const [QUOTE, BACKSLASH, LOWER_U] = [34, 92, 117];
/** So many bytes are searched here: for more, native code is quicker. */
const NEAR = 64;
/** Escaped quotes that native code passes. */
const MAX_HOPS = 256;
/** The most bytes with more escaped quotes that are searched at once: two milliseconds. */
const MAX_SEARCH = 2 * 1024 * 1024;

/** Where the run of backslashes before a position begins, but not before `least`. */
function startOfRun(bytes: Uint8Array, place: number, least: number): number {
  let first = place;
  while (first > least && bytes[first - 1] === BACKSLASH) {
    first--;
  }
  return first;
}

/** The quote that closes a text; `start`: the position after the one that opens it. -1: none, or too far away. */
export function quoteAfter(bytes: Buffer, start: number): number {
  let place = start;
  for (const near = start + NEAR; place < near; place++) {
    if (bytes[place] === QUOTE) {
      return place < bytes.length ? place : -1;
    }
    place += bytes[place] === BACKSLASH ? 1 : 0;
  }
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    const quote = bytes.indexOf(QUOTE, place);
    const least = Math.max(start, quote - MAX_SEARCH);
    const first = startOfRun(bytes, quote, least);
    if (quote === -1 || (first === least && least > start)) {
      return -1;
    }
    if ((quote - first) % 2 === 0) {
      return quote;
    }
    place = quote + 1;
  }
  const last = Math.min(bytes.length, place + MAX_SEARCH);
  while (place < last) {
    if (bytes[place] === QUOTE) {
      return place;
    }
    place += bytes[place] === BACKSLASH ? 2 : 1;
  }
  return -1;
}

export const ESCAPE_LENGTH = 6;

/** The position, or the beginning of the character in which it is. */
export function startOfCharacter(bytes: Uint8Array, place: number): number {
  let start = place;
  while (start > place - 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) {
    start--;
  }
  return start;
}

/**
 * The position, or one just before it, so that no character and no escape is split. `least`: the text begins there, or
 * so much before the position that a longer run of backslashes may be misread.
 */
export function startOfRest(bytes: Uint8Array, place: number, least: number): number {
  const start = startOfCharacter(bytes, place);
  for (let near = start - 1; near >= Math.max(least, start - ESCAPE_LENGTH); near--) {
    if (bytes[near] === BACKSLASH) {
      const isEscape = (near + 1 - startOfRun(bytes, near + 1, least)) % 2 === 1;
      const length = bytes[near + 1] === LOWER_U ? ESCAPE_LENGTH : 2;
      return isEscape && near + length > start ? near : start;
    }
  }
  return start;
}

/** Whether a byte below 32 is between two positions. Reads four bytes at a time. */
export function hasControl(bytes: Buffer, from: number, to: number): boolean {
  let place = from;
  for (; place < to && (bytes.byteOffset + place) % 4 !== 0; place++) {
    if ((bytes[place] as number) < 32) {
      return true;
    }
  }
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + place, (to - place) >> 2);
  let found = 0;
  // An iterator takes three times as long.
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number;
    // The highest bit of each byte that is below 32.
    found |= (word - 0x20202020) & ~word;
  }
  for (place += words.length * 4; place < to; place++) {
    found |= (bytes[place] as number) < 32 ? 0x80 : 0;
  }
  return (found & 0x80808080) !== 0;
}

/** The next backslash before `end`; `end`: none. */
export function backslashAfter(bytes: Buffer, from: number, end: number): number {
  for (let place = from; place < from + NEAR; place++) {
    if (place >= end || bytes[place] === BACKSLASH) {
      return Math.min(place, end);
    }
  }
  const found = bytes.subarray(from + NEAR, end).indexOf(BACKSLASH);
  return found === -1 ? end : from + NEAR + found;
}

/** So many backslashes before a sample are read. */
const MAX_RUN = 64;
const named: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/** Decodes a part of a text, to count it. */
export function decodePart(bytes: Buffer, from: number, to: number): string {
  const start = startOfRest(bytes, from, from - MAX_RUN);
  const text = bytes.toString("utf8", start, startOfRest(bytes, to, Math.max(start, to - MAX_RUN)));
  return text.includes("\\")
    ? text.replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_escape, code: string | undefined, letter: string) =>
        code === undefined ? (named[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;
}
