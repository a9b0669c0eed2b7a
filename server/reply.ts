import type { ServerResponse } from "node:http";

/**
 * An answer as plain data. The lean server writes it to the socket as it is: a web `Response` in between cost a tenth
 * of a JSON call and a third of a stream. `body`: text, or pieces of text, of which whoever reads them must call
 * `return` when it stops early, as `for await` does.
 */
export type Reply = {
  status: number;
  headers: Record<string, string>;
  body: string | AsyncGenerator<string>;
};

export const jsonReply = (status: number, value: unknown): Reply => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(value),
});

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
        controller.enqueue(encoder.encode(next.value));
      }
    },
    cancel: async () => {
      await body.return(undefined);
    },
  });
  return new Response(stream, { status, headers });
}

/** Writes the answer to a Node response, no faster than the client reads. Returns when it is out, or the client gone. */
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
  for await (const text of body) {
    if (outgoing.destroyed) {
      break;
    }
    if (!outgoing.write(text) && !outgoing.destroyed) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  outgoing.end();
}
