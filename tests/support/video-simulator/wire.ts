import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { Outgoing } from "./world";

/** The largest amount that is sent, and the delay. */
export type WireLimits = { hugeBytes: number; slowMs: number };

type WireReply = { status: number; headers: Record<string, string>; body: Buffer };

function bodyOf({ reply }: Outgoing): WireReply {
  return {
    status: reply.status,
    headers: { ...(!reply.bytes && { "content-type": "application/json;charset=UTF-8" }), ...reply.headers },
    body: reply.bytes ?? Buffer.from(JSON.stringify(reply.json ?? {})),
  };
}

function sendWhole(response: ServerResponse, { status, headers, body }: WireReply): void {
  response.writeHead(status, { ...headers, "content-length": String(body.length) });
  response.end(body);
}

const page = (title: string) =>
  Buffer.from(`<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`);

const sendPage = (response: ServerResponse, status: number, title: string) =>
  sendWhole(response, { status, headers: { "content-type": "text/html" }, body: page(title) });

async function sendHalf(response: ServerResponse, { status, headers, body }: WireReply): Promise<void> {
  response.writeHead(status, { ...headers, "content-length": String(body.length) });
  await new Promise((resolve) => response.write(body.subarray(0, body.length / 2), resolve));
  response.destroy();
}

function* hugeJson(hugeBytes: number): Generator<Buffer> {
  yield Buffer.from('{"request_id":"');
  const block = Buffer.alloc(65_536, "a");
  for (let bytes = 0; bytes < hugeBytes; bytes += block.length) {
    yield block;
  }
  yield Buffer.from('"}');
}

/** As fast as it is read, until the reader leaves or the limit is reached. */
async function sendHuge(response: ServerResponse, hugeBytes: number): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  await pipeline(Readable.from(hugeJson(hugeBytes)), response);
}

/** Sends a reply, changed by its fault. `signal`: the simulator stops. */
export async function send(
  response: ServerResponse,
  outgoing: Outgoing,
  { hugeBytes, slowMs, signal }: WireLimits & { signal: AbortSignal },
): Promise<void> {
  const whole = bodyOf(outgoing);
  switch (outgoing.fault) {
    case "502":
      return sendPage(response, 502, "502 Bad Gateway");
    case "504":
      return sendPage(response, 504, "504 Gateway Time-out");
    case "html":
      return sendPage(response, 200, "Please sign in to this network");
    case "truncated-json":
      return sendWhole(response, { ...whole, body: whole.body.subarray(0, whole.body.length / 2) });
    case "empty-202":
      return sendWhole(response, { status: 202, headers: {}, body: Buffer.alloc(0) });
    case "huge-body":
      return await sendHuge(response, hugeBytes);
    case "reset-before":
      return void response.destroy();
    case "reset-mid-reply":
      return await sendHalf(response, whole);
    case "slow-headers":
      await setTimeout(slowMs, undefined, { signal, ref: false });
      return sendWhole(response, whole);
    default:
      return sendWhole(response, whole);
  }
}
