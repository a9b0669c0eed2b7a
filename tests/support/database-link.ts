import { connect, createServer, type Socket } from "node:net";
import { end, listen } from "./listen";

/**
 * A connection to a database or another server that a test can cut, as if the server were away, or silence: it then
 * accepts connections and never answers.
 */
export type DatabaseLink = Awaited<ReturnType<typeof linkTo>>;

export async function linkTo(databaseUrl: string) {
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
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
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
