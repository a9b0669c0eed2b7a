import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What PostgreSQL says to who comes when there is no place: an ErrorResponse, FATAL 53300. */
const TOO_MANY = (() => {
  const fields = Buffer.from("SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0");
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/**
 * A way to a database, or to another server, that can be cut, as if it were away, go on accepting and say nothing, or say
 * that it has no connection left.
 */
export type DatabaseLink = {
  url: string;
  /** Of the database itself. */
  directUrl: string;
  /** `abruptly`: with a reset instead of an end. */
  cut: (how?: { abruptly: boolean }) => void;
  /** What is swallowed is not made up for: connections of then stay silent. */
  silence: () => void;
  /** Ends all connections, and tells new ones that there are too many. */
  crowd: () => void;
  mend: () => void;
  close: () => Promise<void>;
};

export async function linkTo(databaseUrl: string): Promise<DatabaseLink> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isSilent = false;
  let isCrowded = false;
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    if (isCrowded) {
      client.on("error", () => {});
      client.once("data", () => client.end(TOO_MANY));
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
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
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
    directUrl: databaseUrl,
    cut,
    silence: () => {
      isSilent = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.resume();
      }
    },
    crowd: () => {
      isCrowded = true;
      endAll(false);
    },
    mend: () => {
      isCut = false;
      isSilent = false;
      isCrowded = false;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
