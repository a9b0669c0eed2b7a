import { connect, type Socket } from "node:net";

/**
 * By so much longer than any statement may take (`statement_timeout`), and than a connection may be idle: who is silent
 * for so long is gone.
 */
const LONGER_MS = 5_000;
const LISTEN_EVERY_MS = 5_000;

/** What the driver says of where to connect. */
export type SocketTarget = {
  host: string[];
  port: number[];
  path?: string | false;
  idle_timeout: number | null;
};

/** A connection to one server. */
export function openSocket({ host: [name = "localhost"], port: [port = 5432], path }: SocketTarget): Socket {
  const socket = path ? connect(path) : connect(port, name);
  // By this name TLS knows the server.
  return Object.assign(socket, { host: name });
}

/**
 * `onOpen`: a connection that counts among the pool's is opened; what it answers is called when that is gone.
 *
 * A connection that ends when the server has said nothing for five to ten seconds longer than a statement may take, and
 * with it every statement on it. A server that vanished leaves connections that wait for answers which never come; the driver itself has no deadline,
 * and its pool would stay full of them.
 */
export function createSockets(
  statementMs: number,
  onOpen: () => () => void,
): (target: SocketTarget) => Socket {
  return (target) => {
    const socket = openSocket(target);
    if (target.idle_timeout === null) {
      // It waits for notices, which may be long in coming.
      return socket;
    }
    socket.once("close", onOpen());
    let heard = 0;
    let silentMs = 0;
    const watch = setInterval(() => {
      silentMs = socket.bytesRead === heard ? silentMs + LISTEN_EVERY_MS : 0;
      heard = socket.bytesRead;
      if (socket.destroyed || silentMs >= statementMs + LONGER_MS) {
        clearInterval(watch);
        socket.destroy(Object.assign(new Error("the database is silent"), { code: "ETIMEDOUT" }));
      }
    }, LISTEN_EVERY_MS);
    watch.unref();
    return socket;
  };
}
