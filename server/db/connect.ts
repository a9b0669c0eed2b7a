import { Socket } from "node:net";
import postgres, { type Options, type Sql } from "postgres";
import { readDatabaseUrl } from "@/server/base/database-url";
import { finderOf, type ServerFinder } from "./server-finder";
import { openSocket, type SocketTarget } from "./socket";

/** The driver has the option `socket`, but its types do not. */
type ConnectOptions = Options<Record<string, never>> & { socket?: (target: SocketTarget) => Socket };

/** A socket that fails like a connection that no server accepts; the driver handles that. */
export function failed(error: unknown): Socket {
  const socket = new Socket();
  // Later than the driver begins to listen for errors.
  setImmediate(() => socket.destroy(error instanceof Error ? error : new Error(String(error))));
  return socket;
}

/**
 * Opens sockets to the server that the finder names. `isEnded`: the pool is closed, and would not close a socket opened
 * then.
 */
const openFound =
  (
    finder: ServerFinder,
    { open, isEnded }: { open: (target: SocketTarget) => Socket; isEnded: () => boolean },
  ) =>
  async (target: SocketTarget): Promise<Socket> => {
    try {
      const { host, port } = await finder.find();
      if (isEnded()) {
        return failed("the pool is closed");
      }
      const socket = open({ ...target, host: [host], port: [port] });
      finder.follow(socket, { host, port });
      return socket;
    } catch (error) {
      return failed(error);
    }
  };

/**
 * The driver for an address in the form of `DATABASE_URL`; reads the address's TLS settings and its hosts, if it has
 * several. Connects to nothing.
 */
export function connectTo(text: string, options: ConnectOptions): Sql {
  const address = readDatabaseUrl(text);
  const tls = address.ssl !== undefined && { ssl: address.ssl };
  if (address.others.length === 0) {
    return postgres(address.url, { ...options, ...tls });
  }
  let hasEnded = false;
  const how = { open: options.socket ?? openSocket, isEnded: () => hasEnded };
  const socket = openFound(finderOf(text, address), how);
  const client = postgres(address.url, { ...options, ...tls, ...{ socket } });
  const end = client.end.bind(client);
  client.end = (endOptions) => {
    hasEnded = true;
    return end(endOptions);
  };
  return client;
}
