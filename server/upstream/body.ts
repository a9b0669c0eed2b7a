import { UpstreamFault } from "./adapter";

/**
 * Reads a body as text, at most `maxBytes` of it. Throws UpstreamFault `malformed` beyond, `broken` when it is cut.
 */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
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
  return Buffer.concat(chunks).toString("utf8");
}
