import { quoteAfter } from "./bytes";

const [QUOTE, BACKSLASH, SPACE, LINE_FEED, RETURN, TAB] = [34, 92, 32, 10, 13, 9];

/** Up to this much white space costs no noticeable time, and the text stays as the client wrote it. */
const MAX_BLANKS = 256 * 1024;

/** The position after the quote that closes a string; `from`: the position after the one that opens it. */
function stringEnd(json: Buffer, from: number): number {
  const quote = quoteAfter(json, from);
  if (quote !== -1) {
    return quote + 1;
  }
  let place = from;
  while (place < json.length && json[place] !== QUOTE) {
    place += json[place] === BACKSLASH ? 2 : 1;
  }
  return Math.min(place + 1, json.length);
}

const isBlank = (byte: number | undefined): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB;

/** Whether there is more white space between values than stays. */
function hasManyBlanks(json: Buffer): boolean {
  let blanks = 0;
  for (let place = 0; place < json.length && blanks <= MAX_BLANKS; ) {
    blanks += isBlank(json[place]) ? 1 : 0;
    place = json[place] === QUOTE ? stringEnd(json, place + 1) : place + 1;
  }
  return blanks > MAX_BLANKS;
}

/**
 * Removes the white space between JSON values if there is so much of it that every later scan of the text would take
 * long. Otherwise returns the given bytes.
 */
export function withoutBlanks(json: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  if (!hasManyBlanks(bytes)) {
    return json;
  }
  const kept = new Uint8Array(json.length);
  let length = 0;
  for (let place = 0; place < json.length; ) {
    const start = place;
    while (place < json.length && !isBlank(json[place])) {
      place = json[place] === QUOTE ? stringEnd(bytes, place + 1) : place + 1;
    }
    kept.set(json.subarray(start, place), length);
    length += place - start;
    while (isBlank(json[place])) {
      place++;
    }
  }
  return kept.slice(0, length);
}
