import { setImmediate as nextTurn } from "node:timers/promises";
import { UpstreamFault } from "./adapter";

/** Others have their turn after so many bytes. */
const BYTES_PER_STEP = 4 * 1024 * 1024;

async function join(chunks: Uint8Array[], size: number): Promise<Buffer> {
  if (size <= BYTES_PER_STEP) {
    return Buffer.concat(chunks, size);
  }
  const whole = Buffer.allocUnsafe(size);
  let place = 0;
  let rested = 0;
  for (const chunk of chunks) {
    whole.set(chunk, place);
    place += chunk.byteLength;
    if (place - rested > BYTES_PER_STEP) {
      rested = place;
      await nextTurn();
    }
  }
  await nextTurn();
  return whole;
}

/** Reads a body, at most `maxBytes` of it. Throws UpstreamFault `malformed` beyond, `broken` when it is cut. */
export async function readBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > maxBytes) {
        throw new UpstreamFault("malformed", `the answer is larger than ${maxBytes} bytes`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof UpstreamFault
      ? error
      : new UpstreamFault("broken", String(error), { cause: error });
  }
  return await join(chunks, size);
}

/** As `readBytes`, as text, without a byte order mark. */
export const readText = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> =>
  (await readBytes(body, maxBytes)).toString("utf8").replace(/^\uFEFF/, "");
