/** The path for messages of payment providers: `/payments/<provider>/webhook`. */
import type { ClientRequest } from "@/server/base/client-request";
import { plainReply, type Reply } from "@/server/base/reply";
import type { Runtime } from "../runtime/runtime";

const PATH = /^\/payments\/([a-z]{1,20})\/webhook$/;

export const isPaymentEvent = (path: string): boolean => PATH.test(path);

/** Some twenty times the largest event of a checkout. */
const MAX_BYTES = 256 * 1024;

/** The body as it was signed; null: too large. */
async function readBody(request: ClientRequest): Promise<string | null> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BYTES) {
    return null;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) {
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const replies = {
  done: plainReply(200, "ok"),
  ignored: plainReply(200, "not a payment of this installation"),
  unsigned: plainReply(400, "not signed by the provider"),
  unknown: plainReply(404, "not found"),
};

/** Any failure is a 500, after which the provider sends the message again. */
export async function answerPaymentEvent(
  { payments, log }: Runtime,
  request: ClientRequest,
  path: string,
): Promise<Reply> {
  const [, provider = ""] = PATH.exec(path) ?? [];
  if (request.method !== "POST") {
    return { ...plainReply(405, "POST only"), headers: { allow: "POST" } };
  }
  try {
    const body = await readBody(request);
    return body === null
      ? plainReply(413, `the body is larger than ${MAX_BYTES / 1024} kB`)
      : replies[await payments.receive(provider, { body, headers: request.headers })];
  } catch (error) {
    log.error({ err: error, provider }, "a payment provider's message was not taken");
    return plainReply(500, "try again");
  }
}
