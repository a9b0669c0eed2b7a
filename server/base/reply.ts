import type { ServerResponse } from "node:http";
import { slicesOf } from "./slices";

/**
 * An answer as plain data. The lean server writes it to the socket as it is: a web `Response` in between cost a tenth
 * of a JSON call and a third of a stream. `body`: text, or pieces of text or of a file, of which whoever reads them
 * must call `return` when it stops early, as `for await` does. Pieces that end in an exception, which is theirs to
 * log, are an answer that is cut off.
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

/** An answer in JSON that is printed already. `bytes`: of all pieces. */
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

/** A text that goes out in one piece: when its call has ended, the operating system has all of it, or nearly. */
const MAX_AT_ONCE_CHARACTERS = 256 * 1024;

async function* inPieces(text: string): AsyncGenerator<string> {
  yield* slicesOf(text, MAX_AT_ONCE_CHARACTERS);
}

/** A piece as it is written: a long text is encoded slice by slice. */
const writtenAs = (piece: string | Uint8Array): Iterable<string | Uint8Array> =>
  typeof piece === "string" && piece.length > MAX_AT_ONCE_CHARACTERS
    ? slicesOf(piece, MAX_AT_ONCE_CHARACTERS)
    : [piece];

/**
 * Makes an answer and calls `done` once: when the answer could not be made, was taken to its end, or was given up. A large
 * text goes out in pieces, as a stream does: a client that does not read it keeps its call open.
 */
export async function untilTaken(make: () => Promise<Reply>, done: () => void): Promise<Reply> {
  let reply: Reply;
  try {
    reply = await make();
  } catch (error) {
    done();
    throw error;
  }
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

/** Not a generator itself: one that nobody has begun to read would not notice that it is given up. */
function telling<T>(pieces: AsyncGenerator<T>, done: () => void): AsyncGenerator<T> {
  const watched = async (step: Promise<IteratorResult<T>>) => {
    try {
      const result = await step;
      if (result.done) {
        done();
      }
      return result;
    } catch (error) {
      done();
      throw error;
    }
  };
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

/**
 * Ends the connection of a client that has taken nothing of its answer for so long, though there is more of it to
 * take.
 */
export function endStalled(outgoing: ServerResponse, stallMs: number): void {
  // The socket's clock starts anew with each byte that the client takes; while nothing is to be sent it proves
  // nothing.
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
 * The answer to HEAD: its pieces are given back. One that nobody has begun to read would not notice, so the first is
 * read.
 */
export async function withoutBody(reply: Reply): Promise<Reply> {
  if (typeof reply.body !== "string") {
    try {
      await reply.body.next();
      await reply.body.return(undefined);
    } catch {
      // Theirs to log; the head is said, whatever follows it.
    }
  }
  return { ...reply, body: "" };
}

/** The answer for a server that speaks `Request -> Response`. */
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
 * Writes the answer to a Node response, no faster than the client reads. Returns when it is out, or the client gone.
 */
export async function writeReply({ status, headers, body }: Reply, outgoing: ServerResponse): Promise<void> {
  // The AI SDK shows the reason phrase and nothing else of an error.
  outgoing.statusMessage = headers["x-error-code"] ?? "";
  if (typeof body === "string") {
    outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    outgoing.end(body);
    return;
  }
  outgoing.writeHead(status, headers);
  // One listener each for the whole reply, however often it waits; a client that goes away never drains.
  let wake = () => {};
  outgoing.on("drain", () => wake());
  outgoing.on("close", () => wake());
  // Nobody reads what follows the head of an answer to HEAD, and a file may be long.
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
    // An orderly end would pass half a file off as a whole one.
    outgoing.destroy();
  }
}
