import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";
import { end, listen } from "./listen";

/**
 * A connection to a database or another server that a test can cut, as if the server were away, or silence: it then
 * accepts connections and never answers.
 */
export type DatabaseLink = Awaited<ReturnType<typeof linkTo>>;

/** Passes each piece on after `ms`, in their order. Any number of pieces is under way, as on a long cable. */
const delayedBy = (ms: number): Transform =>
  new Transform({
    transform(piece, _encoding, done) {
      setTimeout(() => this.push(piece), ms);
      done();
    },
    flush: (done) => void setTimeout(done, ms),
  });

const after = (ms: number, act: () => void) => void (ms === 0 ? act() : setTimeout(act, ms));

/** `delayMs`: how far away the server is. An opened connection carries bytes after one round trip, as with TCP. */
export async function linkTo(databaseUrl: string, { delayMs = 0 } = {}) {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isSilent = false;
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    if (isSilent) {
      sockets.add(client);
      client.on("error", () => {});
      client.on("close", () => sockets.delete(client));
      client.resume();
      return;
    }
    const database = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        // A silent server's end is not heard of either.
        if (!(isSilent && socket === database)) {
          after(delayMs, () => other.destroy());
        }
      });
      after(2 * delayMs, () => {
        if (isSilent) {
          socket.resume();
        } else {
          (delayMs === 0 ? socket : socket.pipe(delayedBy(delayMs))).pipe(other);
        }
      });
    }
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${await listen(server)}`;
  const endAll = (abruptly: boolean) => {
    for (const socket of sockets) {
      abruptly ? socket.resetAndDestroy() : socket.destroy();
    }
  };
  const cut = ({ abruptly } = { abruptly: false }) => {
    isCut = true;
    endAll(abruptly);
  };
  return {
    url: url.href,
    /** The address of the database itself. */
    directUrl: databaseUrl,
    /** `abruptly`: with a reset instead of an end. */
    cut,
    /** Bytes that are dropped now are not sent later: these connections stay silent. */
    silence: () => {
      isSilent = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.resume();
      }
    },
    mend: () => {
      isCut = false;
      isSilent = false;
    },
    /** The server has another port from now on. */
    lead: (directUrl: string) => {
      target = new URL(directUrl);
    },
    close: async () => {
      cut();
      await end(server);
    },
  };
}
