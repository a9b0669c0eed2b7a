import type { IncomingMessage } from "node:http";
import type { VendorCall } from "./dialect";

async function readBody(raw: Buffer<ArrayBuffer>, contentType: string): Promise<unknown> {
  if (contentType.startsWith("multipart/form-data")) {
    const form = await new Response(raw, { headers: { "content-type": contentType } }).formData();
    return Object.fromEntries(form);
  }
  try {
    return JSON.parse(raw.toString("utf8")) as unknown;
  } catch {
    // The dialect refuses it in its vendor's words.
    return undefined;
  }
}

/** A request with its body, as a dialect under `basePath` reads it. */
export async function readCall(request: IncomingMessage, url: URL, basePath: string): Promise<VendorCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return {
    body: await readBody(Buffer.concat(chunks), request.headers["content-type"] ?? ""),
    ...{ method: request.method ?? "GET", path: url.pathname.slice(basePath.length) },
    ...{ query: url.searchParams, headers: request.headers },
  };
}
