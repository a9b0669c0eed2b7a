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

/** Sockets to the server that is meant, whichever of the hosts that is at the moment. */
const toMeant =
  (finder: ServerFinder, open: (target: SocketTarget) => Socket) =>
  async (target: SocketTarget): Promise<Socket> => {
    try {
      const { host, port } = await finder.find();
      const socket = open({ ...target, host: [host], port: [port] });
      // Whoever ends a connection from that side may be about to hand writes over.
      socket.once("end", finder.suspect).once("error", finder.suspect);
      return socket;
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
  const { url, others, ssl } = address;
  const several = others.length > 0 && {
    socket: toMeant(finderOf(text, address), options.socket ?? openSocket),
  };
  return postgres(url, { ...options, ...several, ...(ssl !== undefined && { ssl }) });
}
