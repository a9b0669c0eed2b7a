import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A command as RESP writes it: an array of strings. `rest`: what has come of the next one. null: not all of it is here. */
function readCommand(text: string): { words: string[]; rest: string } | null {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (!head) {
    return null;
  }
  let rest = text.slice(head[0].length);
  const words: string[] = [];
  while (words.length < Number(head[1])) {
    const [size, length] = /^\$(\d+)\r\n/.exec(rest) ?? [];
    const end = Number(size?.length) + Number(length);
    if (size === undefined || rest.length < end + 2) {
      return null;
    }
    words.push(rest.slice(size.length, end));
    rest = rest.slice(end + 2);
  }
  return { words, rest };
}

/**
 * The one script of a Redis that rate limits need, on a real socket: adds to a key and says when it ends. `count`: what a
 * key has.
 */
export async function startRedis(): Promise<{
  url: string;
  count: (key: string) => number;
  /** How many clients have been told that it is ready. */
  clients: () => number;
  close: () => void;
}> {
  let clients = 0;
  const keys = new Map<string, { count: number; endsAt: number }>();
  const add = ([, , key = "", points, seconds]: string[]) => {
    const now = Date.now();
    const known = keys.get(key);
    const entry = known && known.endsAt > now ? known : { count: 0, endsAt: now + Number(seconds) * 1000 };
    entry.count += Number(points);
    keys.set(key, entry);
    return `*2\r\n:${entry.count}\r\n:${entry.endsAt - now}\r\n`;
  };
  const answer = ([name = "", ...args]: string[]) => {
    const command = name.toLowerCase();
    if (command === "info") {
      clients++;
      return "$19\r\nredis_version:7.0.0\r\n";
    }
    return command === "eval" || command === "evalsha" ? add(args) : "+OK\r\n";
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let text = "";
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      for (let next = readCommand(text); next; next = readCommand(text)) {
        text = next.rest;
        socket.write(answer(next.words));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clients: () => clients,
    count: (key) => keys.get(key)?.count ?? 0,
    close: () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
    },
  };
}
