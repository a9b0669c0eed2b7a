import { UpstreamFault } from "@/server/channels";

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

/**
 * Returns whether a body begins like JSON, as no stream of events does, and the body without its leading blanks. Throws
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
  const isJson = !first.done && JSON_BEGINS.has(first.value[0] ?? 0);
  let head: IteratorResult<Uint8Array> | null = first;
  // Not a generator: it would pass each piece through three more promises.
  const rest: AsyncIterableIterator<Uint8Array> = {
    next: () => {
      const next = head === null ? pieces.next() : Promise.resolve(head);
      head = null;
      return next;
    },
    return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return { isJson, body: rest };
}
