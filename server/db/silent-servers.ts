/** Leaves a server that has vanished: a machine that lost its power closes no connection. */
import type { Socket } from "node:net";
import { closeConnection } from "./socket";

/** A server of an address with several. */
export type ServerPlace = { host: string; port: number };

/** Between two looks at the connections. The servers are asked no more often. */
const EVERY_MS = 5_000;

/** `heard`: its bytes when the timer ran last. */
type Connection = { socket: Socket; place: ServerPlace; heard: number };

/**
 * Follows the connections to several servers, with a timer and no listeners, because the driver removes the listeners of
 * a socket over which it begins TLS. If nothing came over some connection for five seconds (it may be idle, or its
 * server busy or gone), all servers are asked for their roles. If only another server than its own is wanted, a
 * connection is closed: all to a server that answers with another role, and the silent ones to a server that does not
 * answer.
 */
export function followConnections<Look extends ServerPlace & { role: string | null }>(deps: {
  look: () => Promise<Look[]>;
  isWanted: (server: Look) => boolean;
}): (socket: Socket, place: ServerPlace) => void {
  let connections: Connection[] = [];
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;

  async function leaveMoved(silent: readonly Connection[]): Promise<void> {
    const looks = await deps.look();
    if (!looks.some(deps.isWanted)) {
      return;
    }
    for (const connection of connections) {
      const { socket, place, heard } = connection;
      const server = looks.find(({ host, port }) => host === place.host && port === place.port);
      const isSilent = silent.includes(connection) && socket.bytesRead === heard;
      if (server && !deps.isWanted(server) && (server.role !== null || isSilent)) {
        closeConnection(socket, "the database is on another host now");
      }
    }
  }

  function watch(): void {
    connections = connections.filter(({ socket }) => !socket.destroyed);
    if (connections.length === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
    const silent = connections.filter(({ socket, heard }) => socket.bytesRead === heard);
    for (const connection of connections) {
      connection.heard = connection.socket.bytesRead;
    }
    if (silent.length > 0 && !isLooking) {
      isLooking = true;
      void leaveMoved(silent).finally(() => {
        isLooking = false;
      });
    }
  }

  return (socket, place) => {
    connections.push({ socket, place, heard: 0 });
    timer ??= setInterval(watch, EVERY_MS).unref();
  };
}
