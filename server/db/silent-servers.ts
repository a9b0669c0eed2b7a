/** Leaves a server that has vanished: a machine that lost its power closes no connection. */
import type { Socket } from "node:net";
import type { Timers } from "@/server/base/clock";
import { closeConnection } from "./socket";

/** A server of an address with several. */
export type ServerPlace = { host: string; port: number };

/** Between two rounds through the connections. */
const EVERY_MS = 5_000;
/**
 * From the beginning of a look that a server did not answer to that of the next look. A busy server may be late once, and
 * so may the name server.
 */
const AGAIN_MS = 2_500;
/** A server counts as gone after so many looks in a row without an answer. */
const LOOKS = 2;

/** Timers that do not keep a process from ending. */
const idleTimers: Pick<Timers, "after"> = {
  after: (ms, act) => {
    const timer = setTimeout(act, ms).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * `heard`: its bytes in the last round. `isSilent`: they were the same in the round before. `unanswered`: looks in a row
 * that its server did not answer while it was silent.
 */
type Connection = {
  socket: Socket;
  place: ServerPlace;
  heard: number | null;
  isSilent: boolean;
  unanswered: number;
};

/**
 * Follows the connections to several servers, with a timer and no listeners, because the driver removes the listeners of
 * a socket over which it begins TLS. If nothing came over some connection for five seconds (it may be idle, or its
 * server busy or gone), all servers are asked for their roles. If only another server than its own is wanted, a
 * connection is closed: all to a server that answers with another role, and the silent ones to a server that did not
 * answer two looks in a row. A server that refuses by itself (no connection left, another password) is alive, and keeps its
 * connections.
 */
export function followConnections<
  Look extends ServerPlace & { role: string | null; isAlive: boolean },
>(deps: {
  look: () => Promise<Look[]>;
  isWanted: (server: Look) => boolean;
  timers?: Pick<Timers, "after">;
}): (socket: Socket, place: ServerPlace) => void {
  const { after } = deps.timers ?? idleTimers;
  let connections: Connection[] = [];
  let isWatching = false;
  let isLooking = false;

  /** Returns whether another look decides about a connection that has a server to go to. */
  async function leaveMoved(): Promise<boolean> {
    const looks = await deps.look();
    const canLeave = looks.some(deps.isWanted);
    let isUndecided = false;
    for (const connection of connections) {
      const { socket, place, heard, isSilent, unanswered } = connection;
      const server = looks.find(({ host, port }) => host === place.host && port === place.port);
      const isUnanswered = server?.isAlive === false;
      connection.unanswered = isUnanswered && isSilent && socket.bytesRead === heard ? unanswered + 1 : 0;
      const hasMoved = server !== undefined && server.role !== null && !deps.isWanted(server);
      if (canLeave && (hasMoved || connection.unanswered >= LOOKS)) {
        closeConnection(socket, "the database is on another host now");
      } else if (canLeave && connection.unanswered > 0) {
        isUndecided = true;
      }
    }
    return isUndecided;
  }

  async function look(): Promise<void> {
    const pause = new Promise<void>((resolve) => void after(AGAIN_MS, resolve));
    if (await leaveMoved()) {
      await pause;
      await leaveMoved();
    }
  }

  function watch(): void {
    connections = connections.filter(({ socket }) => !socket.destroyed);
    isWatching = connections.length > 0;
    if (isWatching) {
      after(EVERY_MS, watch);
    }
    for (const connection of connections) {
      const { bytesRead } = connection.socket;
      connection.isSilent = bytesRead === connection.heard;
      connection.heard = bytesRead;
      connection.unanswered = connection.isSilent ? connection.unanswered : 0;
    }
    if (connections.some(({ isSilent }) => isSilent) && !isLooking) {
      isLooking = true;
      void look().finally(() => {
        isLooking = false;
      });
    }
  }

  return (socket, place) => {
    connections.push({ socket, place, heard: null, isSilent: false, unanswered: 0 });
    if (!isWatching) {
      isWatching = true;
      after(EVERY_MS, watch);
    }
  };
}
