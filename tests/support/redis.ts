import { createServer, type Socket } from "node:net";
import { listen } from "./listen";

/** A command in RESP: an array of strings. `rest`: the bytes of the next one. null: it is incomplete. */
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
 * A server with the two scripts that rate limits run in a Redis, on a real socket: calls are added to a key, tokens as
 * far as there is room (server/access/limits/token-windows.ts). `count`: a key's count. `says`: the answer to every script
 * from now on, "" for none; `scripts`: how many have arrived.
 */
export async function startRedis() {
  let clients = 0;
  let scripts = 0;
  const keys = new Map<string, { count: number; endsAt: number }>();
  let instead: string | null = null;
  const open = (key: string, windowMs: number) => {
    const now = Date.now();
    const existing = keys.get(key);
    const entry = existing && existing.endsAt > now ? existing : { count: 0, endsAt: now + windowMs };
    return { entry, left: entry.endsAt - now };
  };
  const addCalls = (key: string, [points, seconds]: string[]) => {
    const { entry, left } = open(key, Number(seconds) * 1000);
    entry.count += Number(points);
    keys.set(key, entry);
    return `*2\r\n:${entry.count}\r\n:${left}\r\n`;
  };
  const addTokens = (key: string, [delta, windowMs, limit]: string[]) => {
    const { entry, left } = open(key, Number(windowMs));
    const before = entry.count;
    const after = Math.max(0, before + Number(delta));
    const isRefused = limit !== "" && after > Number(limit);
    if (!isRefused) {
      keys.set(key, { ...entry, count: after });
    }
    return `*3\r\n:${before}\r\n:${left}\r\n:${Number(isRefused)}\r\n`;
  };
  const run = ([, , key = "", ...args]: string[]) => {
    scripts++;
    return instead ?? (args.length === 3 ? addTokens(key, args) : addCalls(key, args));
  };
  const answer = ([name = "", ...args]: string[]) => {
    const command = name.toLowerCase();
    if (command === "info") {
      clients++;
      return "$19\r\nredis_version:7.0.0\r\n";
    }
    return command === "eval" || command === "evalsha" ? run(args) : "+OK\r\n";
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
  return {
    url: `redis://127.0.0.1:${await listen(server)}`,
    /** The number of clients that have been told that it is ready. */
    clients: () => clients,
    scripts: () => scripts,
    count: (key: string) => keys.get(key)?.count ?? 0,
    /** Forgets all counts, as after a restart. */
    forget: () => keys.clear(),
    says: (answer: string | null) => {
      instead = answer;
    },
    close: () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
    },
  };
}
