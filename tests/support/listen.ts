import { once } from "node:events";
import type { AddressInfo, ListenOptions, Server } from "node:net";

/** Makes a server listen, by default on a free port of this machine. Returns the port. */
export async function listen(
  server: Server,
  at: ListenOptions = { port: 0, host: "127.0.0.1" },
): Promise<number> {
  server.listen(at);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Ends a server and its connections, unless it has already ended. */
export async function end(server: Server & { closeAllConnections?: () => void }): Promise<void> {
  if (!server.listening) {
    return;
  }
  const ended = once(server, "close");
  server.close();
  server.closeAllConnections?.();
  await ended;
}

/** The whole body of a request. */
export async function bodyOf(request: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
