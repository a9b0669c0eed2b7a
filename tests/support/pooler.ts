import { connect, createServer, type Socket } from "node:net";
import { end, listen } from "./listen";

/**
 * The behaviour of a pooler. `transactions`: it lends a session for each transaction, the most recently returned first,
 * as pgbouncer does. `deaf`: each client has its own session, and notices never arrive.
 */
export type PoolerMode = "transactions" | "sessions" | "deaf";

export type Pooler = { url: string; setMode: (mode: PoolerMode) => void; close: () => Promise<void> };

type PostgresMessage = { type: string; bytes: Buffer };

/** Cuts a server's stream into messages. Returns the incomplete rest. */
function cut(bytes: Buffer, take: (message: PostgresMessage) => void): Buffer {
  let rest = bytes;
  while (rest.length >= 5 && rest.length >= rest.readInt32BE(1) + 1) {
    const end = rest.readInt32BE(1) + 1;
    take({ type: String.fromCharCode(rest[0] ?? 0), bytes: rest.subarray(0, end) });
    rest = rest.subarray(end);
  }
  return rest;
}

const isIdle = ({ type, bytes }: PostgresMessage) => type === "Z" && bytes.at(-1) === "I".charCodeAt(0);

/** A real pooler on a real socket in front of a real PostgreSQL: each client signs in with its own session. */
export async function startPooler(databaseUrl: string, first: PoolerMode): Promise<Pooler> {
  const target = new URL(databaseUrl);
  let mode = first;
  const sockets = new Set<Socket>();
  const idle: Socket[] = [];
  const clientOf = new Map<Socket, Socket>();
  const give = (session: Socket) => {
    clientOf.delete(session);
    idle.push(session);
  };
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  };
  const open = (client: Socket): Socket => {
    const session = connect(Number(target.port), target.hostname);
    keep(session);
    let rest: Buffer = Buffer.alloc(0);
    session.on("data", (bytes) => {
      rest = cut(Buffer.concat([rest, bytes]), (message) => {
        if (!(mode === "deaf" && message.type === "A")) {
          clientOf.get(session)?.write(message.bytes);
        }
        if (mode === "transactions" && isIdle(message)) {
          give(session);
        }
      });
    });
    clientOf.set(session, client);
    return session;
  };
  const server = createServer((client) => {
    keep(client);
    const own = open(client);
    client.on("data", (bytes) => {
      const attached = [...clientOf].find(([, owner]) => owner === client)?.[0];
      const session = attached ?? idle.pop() ?? own;
      clientOf.set(session, client);
      // The end of a client is not sent to a session that serves other clients, too.
      if (mode !== "transactions" || bytes[0] !== "X".charCodeAt(0)) {
        session.write(bytes);
      } else {
        give(session);
      }
    });
    client.on("close", () => {
      if (mode !== "transactions") {
        own.destroy();
      }
    });
    own.on("close", () => {
      if (mode !== "transactions") {
        client.destroy();
      }
    });
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${await listen(server)}`;
  return {
    url: url.href,
    setMode: (next) => {
      mode = next;
    },
    close: async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      await end(server);
    },
  };
}
