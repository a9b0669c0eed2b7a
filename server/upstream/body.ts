import { setImmediate as nextTurn } from "node:timers/promises";
import type { Eventual } from "@/server/base/eventual";
import { isWhole, type LongText } from "@/server/base/slices";
import { type ReplyBody, UpstreamFault } from "./adapter";

/** Joining the parts of a longer text takes so long that its caller continues in the next turn of the event loop. */
const LONG_TEXT_CHARACTERS = 1024 * 1024;

const tooLarge = (maxBytes: number) =>
  new UpstreamFault("malformed", `the answer is larger than ${maxBytes} bytes`);

/** Passes each piece of a body to `take`, up to `maxBytes` in total. Throws as its callers do. */
async function readPieces(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  take: (piece: Uint8Array) => void,
): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > maxBytes) {
        throw tooLarge(maxBytes);
      }
      take(chunk);
    }
  } catch (error) {
    throw error instanceof UpstreamFault
      ? error
      : new UpstreamFault("broken", String(error), { cause: error });
  }
}

/** Reads a body of up to `maxBytes`. Throws UpstreamFault `malformed` beyond, `broken` if it is cut. */
export async function readBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await readPieces(body, maxBytes, (piece) => pieces.push(piece));
  return Buffer.concat(pieces);
}

/**
 * As `readBytes`, as text, without a byte order mark; a long text in parts. Decodes each piece as it comes: decoding a
 * large body at its end would block other calls.
 */
export async function readLongText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<LongText> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let length = 0;
  const add = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  await readPieces(body, maxBytes, (piece) => add(decoder.decode(piece, { stream: true })));
  add(decoder.decode());
  return length > LONG_TEXT_CHARACTERS ? parts : parts.join("");
}

/** As `readLongText`, joined. */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const text = await readLongText(body, maxBytes);
  if (isWhole(text)) {
    return text;
  }
  const joined = text.join("");
  await nextTurn();
  return joined;
}

/** Decodes a whole text. It keeps nothing between two of them. */
const wholeDecoder = new TextDecoder();

/**
 * As `readLongText`, but returns the text itself if all of the body has arrived, which an answer of usual size has if the
 * call waits for it (`UpstreamCall.awaitsBody`). No more arrives ahead of a reader than is decoded in a moment.
 */
export function textOf(body: ReplyBody, maxBytes: number): Eventual<LongText> {
  const pieces = body.arrived?.() ?? null;
  if (pieces === null) {
    return readLongText(body, maxBytes);
  }
  const [first, ...more] = pieces;
  const whole = first === undefined || more.length > 0 ? Buffer.concat(pieces) : first;
  if (whole.byteLength > maxBytes) {
    throw tooLarge(maxBytes);
  }
  return wholeDecoder.decode(whole);
}
