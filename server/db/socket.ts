import { connect, type Socket } from "node:net";

/**
 * Added to the longest time of a statement (`statement_timeout`), and longer than a connection may be idle: a server
 * that is silent for that long is gone.
 */
const LONGER_MS = 5_000;
const LISTEN_EVERY_MS = 5_000;

/** The driver's description of a connection's target. */
export type SocketTarget = {
  host: string[];
  port: number[];
  path?: string | false;
  idle_timeout: number | null;
};

/** A connection to one server. */
export function openSocket({ host: [name = "localhost"], port: [port = 5432], path }: SocketTarget): Socket {
  const socket = path ? connect(path) : connect(port, name);
  // The name by which TLS identifies the server.
  return Object.assign(socket, { host: name });
}

/**
 * Closes a connection, and every statement on it fails. Closes TLS (`upgraded`: our patch of the driver names it) and not
 * the socket below: the driver's next write would fail with an error that nothing listens for, which ends the process.
 */
export function closeConnection(socket: Socket, reason: string): void {
  const { upgraded = socket } = socket as Socket & { upgraded?: Socket };
  upgraded.destroy(Object.assign(new Error(reason), { code: "ETIMEDOUT" }));
}

/**
 * Makes sockets that close when the server has been silent for five to ten seconds longer than a statement may take,
 * and every statement on them fails. A server that vanished leaves connections that wait for answers which never come;
 * the driver itself has no deadline, and its pool would stay full of them.
 *
 * `onOpen`: called when a connection that counts among the pool's is opened.
 */
export function createSockets(
  statementMs: number,
  onOpen: (socket: Socket) => void,
): (target: SocketTarget) => Socket {
  return (target) => {
    const socket = openSocket(target);
    if (target.idle_timeout === null) {
      // This connection waits for notices, which may be far apart.
      return socket;
    }
    onOpen(socket);
    let heard = 0;
    let silentMs = 0;
    const watch = setInterval(() => {
      silentMs = socket.bytesRead === heard ? silentMs + LISTEN_EVERY_MS : 0;
      heard = socket.bytesRead;
      if (socket.destroyed || silentMs >= statementMs + LONGER_MS) {
        clearInterval(watch);
        closeConnection(socket, "the database is silent");
      }
    }, LISTEN_EVERY_MS);
    watch.unref();
    return socket;
  };
}
