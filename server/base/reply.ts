import type { ServerResponse } from "node:http";
import type { Eventual } from "./eventual";
import { slicesOf } from "./slices";

/**
 * A reply as plain data. The lean server writes it directly to the socket: a web `Response` in between took a tenth of
 * a JSON call's time and a third of a stream's. `body`: text, or pieces of text or of a file. A reader that stops early
 * must call `return`, as `for await` does. An exception of the pieces cuts the answer off; the code that makes the
 * pieces logs it.
 */
export type Reply = {
  status: number;
  headers: Record<string, string>;
  body: string | AsyncGenerator<string | Uint8Array>;
};

export const jsonReply = (status: number, value: unknown): Reply => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(value),
});

/** A reply with JSON that is already serialised. `bytes`: of all pieces. */
export function printedReply(
  headers: Reply["headers"],
  { pieces, bytes }: { pieces: string[]; bytes: number },
): Reply {
  const typed = { "content-type": "application/json; charset=utf-8", ...headers };
  const [first = "", ...more] = pieces;
  return more.length === 0
    ? { status: 200, headers: typed, body: first }
    : { status: 200, headers: { ...typed, "content-length": String(bytes) }, body: each(pieces) };
}

async function* each(pieces: string[]): AsyncGenerator<string> {
  yield* pieces;
}

export const plainReply = (status: number, body: string): Reply => ({
  status,
  headers: { "content-type": "text/plain" },
  body,
});

/** The longest text written at once: when its call has ended, the operating system has all of it, or nearly all. */
const MAX_AT_ONCE_CHARACTERS = 256 * 1024;

async function* inPieces(text: string): AsyncGenerator<string> {
  yield* slicesOf(text, MAX_AT_ONCE_CHARACTERS);
}

/** The parts in which a piece is written: a long text is encoded slice by slice. */
const writtenAs = (piece: string | Uint8Array): Iterable<string | Uint8Array> =>
  typeof piece === "string" && piece.length > MAX_AT_ONCE_CHARACTERS
    ? slicesOf(piece, MAX_AT_ONCE_CHARACTERS)
    : [piece];

/**
 * The reply, which calls `done` once: when it was read to its end, or was abandoned. A large text is sent in pieces,
 * like a stream, so a client that does not read it keeps its call open.
 */
export function untilTaken(reply: Reply, done: () => void): Reply {
  const { headers, body } = reply;
  if (typeof body !== "string") {
    return { ...reply, body: telling(body, done) };
  }
  if (body.length <= MAX_AT_ONCE_CHARACTERS) {
    done();
    return reply;
  }
  const length = String(Buffer.byteLength(body));
  return { ...reply, headers: { ...headers, "content-length": length }, body: telling(inPieces(body), done) };
}

/** Not an async generator function: `return` on a generator that was never read would not run its code. */
function telling<T>(pieces: AsyncGenerator<T>, done: () => void): AsyncGenerator<T> {
  const watched = (step: Promise<IteratorResult<T>>) =>
    step.then(
      (result) => {
        if (result.done) {
          done();
        }
        return result;
      },
      (error: unknown) => {
        done();
        throw error;
      },
    );
  const giveUp = () => watched(pieces.return(undefined));
  return {
    next: () => watched(pieces.next()),
    return: giveUp,
    throw: (error) => watched(pieces.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => void (await giveUp()),
  };
}

/** Ends the connection of a client that has not read any of its waiting answer for `stallMs`. */
export function endStalled(outgoing: ServerResponse, stallMs: number): void {
  // Each byte that the client takes restarts the socket's timer. An expired timer means nothing if no data is waiting.
  outgoing.setTimeout(stallMs, () => {
    const { socket } = outgoing;
    if (socket && socket.writableLength > 0) {
      socket.destroy();
    } else {
      socket?.setTimeout(stallMs);
    }
  });
}

/**
 * Returns the answer to HEAD and releases the pieces. The first piece is read, because a generator that was never read
 * would not notice `return`.
 */
export async function withoutBody(reply: Reply): Promise<Reply> {
  if (typeof reply.body !== "string") {
    try {
      await reply.body.next();
      await reply.body.return(undefined);
    } catch {
      // The code that makes the pieces logs the error; the head is valid anyway.
    }
  }
  return { ...reply, body: "" };
}

/** Converts the reply for a server of the form `Request -> Response`. */
export function toResponse({ status, headers, body }: Reply): Response {
  if (typeof body === "string") {
    return new Response(body, { status, headers });
  }
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await body.next();
      if (next.done) {
        controller.close();
      } else {
        controller.enqueue(typeof next.value === "string" ? encoder.encode(next.value) : next.value);
      }
    },
    cancel: async () => {
      await body.return(undefined);
    },
  });
  return new Response(stream, { status, headers });
}

/**
 * Writes the reply to a Node response, no faster than the client reads. The promise of a reply in pieces resolves when
 * it is written, or the client has gone.
 */
export function writeReply({ status, headers, body }: Reply, outgoing: ServerResponse): Eventual<void> {
  // The AI SDK shows only the reason phrase of an error.
  outgoing.statusMessage = headers["x-error-code"] ?? "";
  if (typeof body === "string") {
    outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    outgoing.end(body);
    return;
  }
  outgoing.writeHead(status, headers);
  return writePieces(body, outgoing);
}

async function writePieces(body: Exclude<Reply["body"], string>, outgoing: ServerResponse): Promise<void> {
  // One listener of each kind for the whole reply, however often it waits. A client that goes away never drains, so
  // `close` wakes it, too.
  let wake = () => {};
  outgoing.on("drain", () => wake());
  outgoing.on("close", () => wake());
  // An answer to HEAD has no body, and a file may be long.
  const isHead = outgoing.req.method === "HEAD";
  try {
    for await (const piece of body) {
      if (outgoing.destroyed || isHead) {
        break;
      }
      for (const part of writtenAs(piece)) {
        if (!outgoing.write(part) && !outgoing.destroyed) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    }
    outgoing.end();
  } catch {
    // A normal end would make half a file look complete.
    outgoing.destroy();
  }
}
