import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import type { AuthedCall } from "./call";

/** A form of a few fields. What is larger has a picture in it, which no video is made from. */
const MAX_FORM_BYTES = 8 * 1024 * 1024;
/** The platform's parser takes its time for each; this is where the event loop waits a tenth of a second at worst. */
const MAX_PARTS = 64;

const notForm = (cause?: unknown) =>
  new GatewayError("invalidParameters", details.invalid("multipart/form-data"), { cause });

const typeOf = ({ headers }: Request): string => headers.get("content-type") ?? "";

export const isForm = (request: Request): boolean =>
  /^\s*multipart\/form-data\s*(?:;|$)/i.test(typeOf(request));

/** Throws the 400 for too much of it, 429 and 503. */
async function readBytes({ request, bytes }: Pick<AuthedCall, "request" | "bytes">): Promise<Buffer> {
  const tooLarge = () => new GatewayError("bodyTooLarge", `${MAX_FORM_BYTES / 1024 / 1024} MB`);
  if (Number(request.headers.get("content-length") ?? 0) > MAX_FORM_BYTES) {
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_FORM_BYTES) {
      throw tooLarge();
    }
    await bytes.take(chunk.byteLength);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether there are no more parts than a form of ours has. */
function hasFewParts(body: Buffer, boundary: string): boolean {
  let at = -1;
  for (let seen = 0; seen <= MAX_PARTS; seen++) {
    at = body.indexOf(`--${boundary}`, at + 1, "latin1");
    if (at === -1) {
      return true;
    }
  }
  return false;
}

/** A call's fields. Throws the 400s for what is no form and for too much of it, 415, 429 and 503. */
export async function readVideoForm(call: Pick<AuthedCall, "request" | "bytes">): Promise<FormData> {
  const { request } = call;
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new GatewayError("unknownEncoding", encoding.slice(0, 40));
  }
  const type = typeOf(request);
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  let body: Buffer;
  try {
    body = await readBytes(call);
  } catch (error) {
    throw request.signal.aborted ? new GatewayError("clientGone", "", { cause: error }) : error;
  }
  if (boundary === undefined || !hasFewParts(body, boundary)) {
    throw notForm();
  }
  try {
    return await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  } catch (error) {
    throw notForm(error);
  }
}
