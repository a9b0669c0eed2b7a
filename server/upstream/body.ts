import { setImmediate as nextTurn } from "node:timers/promises";
import { UpstreamFault } from "./adapter";

/** Joining the pieces of a longer text takes so long that its caller continues in the next turn of the event loop. */
const LONG_TEXT_CHARACTERS = 1024 * 1024;

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
        throw new UpstreamFault("malformed", `the answer is larger than ${maxBytes} bytes`);
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
 * As `readBytes`, as text, without a byte order mark. Decodes each piece as it comes: decoding a large body at its end
 * would block other calls.
 */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  const texts: string[] = [];
  await readPieces(body, maxBytes, (piece) => texts.push(decoder.decode(piece, { stream: true })));
  const text = texts.join("") + decoder.decode();
  if (text.length > LONG_TEXT_CHARACTERS) {
    await nextTurn();
  }
  return text;
}
