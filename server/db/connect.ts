import { Socket } from "node:net";
import postgres, { type Options, type Sql } from "postgres";
import { readDatabaseUrl } from "@/server/base/database-url";
import { finderOf, type ServerFinder } from "./server-finder";
import { openSocket, type SocketTarget } from "./socket";

/** The driver knows `socket`, its types do not. */
type Own = Options<Record<string, never>> & { socket?: (target: SocketTarget) => Socket };

/** A socket that fails as one does that nobody answers: the driver knows what to do then. */
function failed(error: unknown): Socket {
  const socket = new Socket();
  process.nextTick(() => socket.destroy(error instanceof Error ? error : new Error(String(error))));
  return socket;
}

/** Opens sockets to the server that the finder names. `isEnded`: nobody would close one that is opened then. */
const openFound =
  (
    finder: ServerFinder,
    { open, isEnded }: { open: (target: SocketTarget) => Socket; isEnded: () => boolean },
  ) =>
  async (target: SocketTarget): Promise<Socket> => {
    try {
      const { host, port } = await finder.find();
      return isEnded() ? failed("the pool is closed") : open({ ...target, host: [host], port: [port] });
    } catch (error) {
      return failed(error);
    }
  };

/**
 * The driver over an address as `DATABASE_URL` has it: what the address says of TLS and of several hosts is read here.
 * Connects to nothing.
 */
export function connectTo(text: string, options: Own): Sql {
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
  client.end = (given) => {
    hasEnded = true;
    return end(given);
  };
  return client;
}
