import { Agent, type Dispatcher, request } from "undici";
import { type UpstreamCall, UpstreamFault, type UpstreamReply } from "./adapter";

/** Connections to all upstreams. Deadlines are the caller's, by signal: only connecting has one here. */
export function createDispatcher(): Agent {
  return new Agent({
    connect: { timeout: 5_000 },
    connections: 512,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 64 * 1024,
  });
}

function retryAfterMs(header: string | string[] | undefined): number | null {
  const text = Array.isArray(header) ? header[0] : header;
  if (!text) {
    return null;
  }
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), 300_000) : null;
}

/** POSTs JSON. Throws UpstreamFault `unreachable` when no answer began; any status is an answer. */
export async function postJson(
  dispatcher: Dispatcher,
  call: UpstreamCall,
  target: { path: string; headers: Record<string, string> },
): Promise<UpstreamReply> {
  const url = `${call.baseUrl}${target.path}`;
  const reply = await request(url, {
    dispatcher,
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...call.headers,
      ...target.headers,
    },
    body: call.body,
    signal: call.signal,
  }).catch((error: unknown) => {
    throw call.signal.aborted ? error : new UpstreamFault("unreachable", String(error), { cause: error });
  });
  const { body } = reply;
  // A body that is dropped or aborted ends with an error that nobody awaits.
  body.on("error", () => {});
  const type = reply.headers["content-type"];
  return {
    status: reply.statusCode,
    contentType: (Array.isArray(type) ? type[0] : type) ?? "",
    retryAfterMs: retryAfterMs(reply.headers["retry-after"]),
    body,
    discard: () => void body.destroy(),
  };
}
