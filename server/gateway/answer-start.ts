import { UpstreamFault } from "@/server/channels";

/** What a server may send before its answer, to show that it lives: a line each second is a thousandth of it. */
const MAX_BLANK_BYTES = 1024 * 1024;
/** What a piece counts at least, or a loop over empty ones would have no bound. */
const MIN_PIECE_BYTES = 64;

/** JSON's white space, and the bytes of a byte order mark, which nothing else begins with in either form. */
const BLANK = new Set([..." \t\r\n"].map((one) => one.charCodeAt(0)).concat(0xef, 0xbb, 0xbf));
const JSON_BEGINS = new Set([..."{["].map((one) => one.charCodeAt(0)));

/**
 * Whether a body begins as JSON does, which no stream of events does; and the body without the blanks before it, which
 * are not kept. Throws UpstreamFault where nothing else comes.
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
  let taken: IteratorResult<Uint8Array> | null = first;
  // No generator, which would have each piece pass through three promises more.
  const rest: AsyncIterableIterator<Uint8Array> = {
    next: () => {
      const next = taken === null ? pieces.next() : Promise.resolve(taken);
      taken = null;
      return next;
    },
    return: async () => (await pieces.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return { isJson, body: rest };
}
