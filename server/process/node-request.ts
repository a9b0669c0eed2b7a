/**
 * A client's request over Node's own message, without a web `Request`. Its parts are made when they are read: most calls
 * need a few headers and one text.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { type Cancellation, CancellationSource, toSignal } from "@/server/base/cancellation";
import type { ClientRequest, HeaderReader } from "@/server/base/client-request";
import { systemTimers, type Timers } from "@/server/base/clock";

/** Removes a byte order mark, and replaces bytes that are not UTF-8, as `Request.text` does. */
const decoder = new TextDecoder();

const HOST = /^[^\s/?#@\\]+$/;

/** The whole address. null: no client of HTTP/1.1 sends a request without a host, or with such a one. */
function addressOf({ url = "/", headers: { host } }: IncomingMessage): string | null {
  if (host === undefined || !HOST.test(host) || !url.startsWith("/")) {
    return null;
  }
  const address = `http://${host}${url}`;
  return URL.canParse(address) ? address : null;
}

class NodeHeaders implements HeaderReader {
  private readonly headers: IncomingMessage["headers"];

  constructor(headers: IncomingMessage["headers"]) {
    this.headers = headers;
  }

  get(name: string): string | null {
    const value = this.headers[name];
    return typeof value === "string" ? value : (value?.join(", ") ?? null);
  }

  has(name: string): boolean {
    return this.headers[name] !== undefined;
  }

  keys(): string[] {
    return Object.keys(this.headers);
  }
}

class NodeRequest implements ClientRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderReader;
  private readonly incoming: IncomingMessage;
  private readonly outgoing: ServerResponse;
  private source: CancellationSource | null = null;
  private stream: ReadableStream<Uint8Array<ArrayBuffer>> | null = null;

  constructor(url: string, incoming: IncomingMessage, outgoing: ServerResponse) {
    this.method = incoming.method ?? "GET";
    this.url = url;
    this.headers = new NodeHeaders(incoming.headers);
    this.incoming = incoming;
    this.outgoing = outgoing;
  }

  get hangUp(): Cancellation {
    if (this.source === null) {
      const source = new CancellationSource();
      this.source = source;
      if (this.hasGone()) {
        source.cancel();
      } else {
        this.outgoing.once("close", () => this.hasGone() && source.cancel());
      }
    }
    return this.source;
  }

  get signal(): AbortSignal {
    return toSignal(this.hangUp);
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.method === "GET" || this.method === "HEAD") {
      return null;
    }
    this.stream ??= Readable.toWeb(this.incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
    return this.stream;
  }

  text(): Promise<string> {
    return this.read((bytes) => decoder.decode(bytes));
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.read(
      ({ buffer, byteOffset, byteLength }) =>
        buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
    );
  }

  private hasGone(): boolean {
    return this.outgoing.destroyed && !this.outgoing.writableFinished;
  }

  /** The whole body. Rejects if the client hangs up before it is complete. */
  private read<T>(as: (bytes: Buffer) => T): Promise<T> {
    const { incoming } = this;
    return new Promise((resolve, reject) => {
      const hungUp = () => new Error("the client hung up");
      if (incoming.destroyed) {
        reject(hungUp());
        return;
      }
      const pieces: Buffer[] = [];
      incoming.on("data", (piece: Buffer) => void pieces.push(piece));
      // Also comes after each whole body, and an error costs more than a small one.
      const onClose = () => incoming.readableEnded || reject(hungUp());
      incoming.once("end", () =>
        resolve(as(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces))),
      );
      incoming.once("error", reject);
      incoming.once("close", onClose);
    });
  }
}

/**
 * How long the server reads, and drops, the rest of a body after its answer. nginx does so for 5 to 30 seconds; after half
 * a second a client on a busy machine still sent the last of 33 MB, and found a reset in place of its answer.
 */
const REST_MS = 5_000;

/**
 * Reads the rest of a body that was answered before it was complete. A client that is still sending would otherwise
 * find its connection closed instead of the answer. Only the time has a bound: Node drops the bytes of an
 * unread body and emits no event for them.
 */
function dropRest(incoming: IncomingMessage, timers: Timers): void {
  if (incoming.destroyed) {
    return;
  }
  incoming.resume();
  if (!incoming.complete) {
    const cancel = timers.deadline(REST_MS, () => incoming.socket.destroySoon());
    // Not that of the answer, which comes as soon as the answer is written.
    incoming.once("close", cancel);
  }
}

/** The request of a message. null: its host or its address is none, and it is answered with 400. */
export function nodeRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  timers: Timers = systemTimers,
): ClientRequest | null {
  if (incoming.method !== "GET" && incoming.method !== "HEAD") {
    outgoing.once("finish", () => dropRest(incoming, timers));
  }
  const url = addressOf(incoming);
  return url === null ? null : new NodeRequest(url, incoming, outgoing);
}
