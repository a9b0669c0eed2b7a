import { UpstreamFault } from "./adapter";

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
  return Buffer.concat(chunks);
}

/** As `readBytes`, as text, without a byte order mark. */
export const readText = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> =>
  (await readBytes(body, maxBytes)).toString("utf8").replace(/^\uFEFF/, "");
