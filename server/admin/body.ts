import type { ClientRequest } from "@/server/base/client-request";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";

/** Enough for the largest channel. */
const MAX_BYTES = 1024 * 1024;

/** Members and items: the 5,000 models of a channel, each with some capabilities. */
const MAX_VALUES = 50_000;

/** Deeper than any request of the API. */
const MAX_DEPTH = 16;

const tooLarge = () => new GatewayError("bodyTooLarge", `${MAX_BYTES / 1024 / 1024} MB`);

/** Whether the body is small enough for recursive functions to walk it in one go. */
function isWalkable(body: unknown): boolean {
  let level = [body];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > MAX_DEPTH || values > MAX_VALUES) {
      return false;
    }
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}

async function readText(request: ClientRequest): Promise<string> {
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

/** Returns the text and the members of a JSON body; no members if the body is empty. Throws the 400s. */
export async function readMembers(
  request: ClientRequest,
): Promise<{ text: string; members: Record<string, unknown> }> {
  const text = await readText(request).catch((error: unknown) => {
    throw request.signal.aborted ? new GatewayError("clientGone", "", { cause: error }) : error;
  });
  if (text === "") {
    return { text, members: {} };
  }
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json") {
    throw new GatewayError("invalidContentType", "application/json");
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
  if (!isWalkable(value)) {
    throw new GatewayError("invalidParameters", errorMessages.tooNested());
  }
  return { text, members: { ...value } };
}
