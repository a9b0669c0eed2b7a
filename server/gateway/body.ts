import { GatewayError } from "@/server/errors";

/** Room for a dozen large pictures in base64. next.config.mjs has it too. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

const tooLarge = () => new GatewayError("bodyTooLarge", `${MAX_BODY_BYTES / 1024 / 1024} MB`);

async function readCounted(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(next.value);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The text of a JSON request body. Throws the 400s for a wrong type and for too much of it. */
export async function readJsonText(request: Request): Promise<string> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new GatewayError("invalidContentType");
  }
  const length = request.headers.get("content-length");
  if (length !== null) {
    if (Number(length) > MAX_BODY_BYTES) {
      throw tooLarge();
    }
  }
  try {
    // The HTTP parser holds a client to the length that it announced.
    return length !== null || !request.body ? await request.text() : await readCounted(request.body);
  } catch (error) {
    if (request.signal.aborted) {
      throw new GatewayError("clientGone", "", { cause: error });
    }
    throw error;
  }
}
