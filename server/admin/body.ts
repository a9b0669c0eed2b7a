import { GatewayError } from "@/server/base/errors";

/** Room for the largest catalog entry and channel. */
const MAX_BYTES = 1024 * 1024;

const tooLarge = () => new GatewayError("bodyTooLarge", `${MAX_BYTES / 1024 / 1024} MB`);

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BYTES) {
    throw tooLarge();
  }
  const reader = request.body?.getReader();
  if (!reader) {
    return "";
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength;
    if (size > MAX_BYTES) {
      await reader.cancel().catch(() => {});
      throw tooLarge();
    }
    chunks.push(next.value);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The text of a JSON body, and its members; none, where there is no body. Throws the 400s. */
export async function readMembers(
  request: Request,
): Promise<{ text: string; members: Record<string, unknown> }> {
  const text = await readText(request);
  if (text === "") {
    return { text, members: {} };
  }
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json") {
    throw new GatewayError("invalidContentType");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new GatewayError("invalidJson", "", { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new GatewayError("invalidJson");
  }
  return { text, members: { ...value } };
}
