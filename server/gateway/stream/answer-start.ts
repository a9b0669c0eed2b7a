import { UpstreamFault } from "@/server/channels";
import { isEventStream } from "@/server/protocol/answers/sse";

/**
 * The most blank bytes that a server may send before its answer, as signs of life: a line each second is a thousandth
 * of this.
 */
const MAX_BLANK_BYTES = 1024 * 1024;
/** The least that a piece counts: otherwise a loop over empty pieces would have no bound. */
const MIN_PIECE_BYTES = 64;

/**
 * JSON's white space and the bytes of a byte order mark. Neither JSON nor a stream of events starts its content with
 * one of them.
 */
const BLANK = new Set([..." \t\r\n"].map((character) => character.charCodeAt(0)).concat(0xef, 0xbb, 0xbf));
const JSON_BEGINS = new Set([..."{["].map((character) => character.charCodeAt(0)));

/** The longest first line that the gateway waits for to see whether the second one is JSON, too. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads on until the second line of JSON begins: lines of an object each are a stream of events. Adds the pieces to
 * `head`, which has the first one.
 */
async function hasLines(head: Uint8Array[], pieces: AsyncIterator<Uint8Array>): Promise<boolean> {
  let text = "";
  let lineEnd = -1;
  for (let last = head[0]; last !== undefined && text.length < MAX_LINE_BYTES; last = head.at(-1)) {
    const end = last.indexOf(NEWLINE);
    lineEnd = lineEnd === -1 && end !== -1 ? text.length + end : lineEnd;
    text += Buffer.from(last).toString("latin1");
    if (lineEnd !== -1 && text.slice(lineEnd).trim() !== "") {
      return isEventStream(text);
    }
    const next = await pieces.next();
    if (next.done) {
      return false;
    }
    head.push(next.value);
  }
  return false;
}

/**
 * Returns whether a body is JSON, and not a stream of events, and the body without its leading blanks. Throws
 * UpstreamFault if more blanks come than allowed.
 */
export async function startOf(
  body: AsyncIterable<Uint8Array>,
): Promise<{ isJson: boolean; body: AsyncIterableIterator<Uint8Array> }> {
  const pieces = body[Symbol.asyncIterator]();
  let first = await pieces.next();
  for (let skipped = 0; !first.done; first = await pieces.next()) {
    const begin = first.value.findIndex((byte) => !BLANK.has(byte));
    if (begin >= 0) {
      first = { done: false, value: first.value.subarray(begin) };
      break;
    }
    skipped += Math.max(MIN_PIECE_BYTES, first.value.length);
    if (skipped > MAX_BLANK_BYTES) {
      await pieces.return?.();
      throw new UpstreamFault("malformed", "the answer is nothing but white space");
    }
  }
  const head = first.done ? [] : [first.value];
  const isJson = JSON_BEGINS.has(head[0]?.[0] ?? 0) && !(await hasLines(head, pieces));
  // Not a generator: it would pass each piece through three more promises.
  const rest: AsyncIterableIterator<Uint8Array> = {
    next: () => {
      const value = head.shift();
      return value === undefined ? pieces.next() : Promise.resolve({ done: false, value });
    },
    return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return { isJson, body: rest };
}
