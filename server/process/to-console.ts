import { type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { withinMs } from "@/server/base/deadline";
import { errorReply, GatewayError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import { plainReply, type Reply, writeReply } from "@/server/base/reply";
import type { Runtime } from "../runtime/runtime";
import type { PeerOf } from "./console-handler";
import type { NodeHandler } from "./http";

/**
 * The header that carries the client's address when a request is handed on. Only processes of this server reach the
 * console's socket, which is in a directory that no other user may enter; a value from a client is removed.
 */
const PEER = "x-tollgate-peer";

/** The client's address, read in the console's process. */
export const handedPeer: PeerOf = ({ headers }) => [headers[PEER]].flat()[0] || null;

/** Headers about one connection (RFC 9110, 7.6.1); the handed request uses another one. */
const OF_A_CONNECTION = /^(?:connection|keep-alive|proxy-connection|te|trailer|upgrade|expect)$/i;

const namesOf = (raw: string[]) => raw.filter((_, index) => index % 2 === 0);

/** The raw headers of a message, in their order, for whose names `isPassed` is true. */
const passing = (raw: string[], isPassed: (name: string) => boolean): string[] =>
  raw.filter((_, index) => isPassed(raw[index - (index % 2)] ?? ""));

function headersOf({ rawHeaders, socket }: IncomingMessage): string[] {
  const passed = passing(rawHeaders, (name) => !OF_A_CONNECTION.test(name) && name.toLowerCase() !== PEER);
  // First, so that no limit on their number cuts it off.
  return [PEER, socket.remoteAddress ?? "", ...passed];
}

/** A body without a length or chunks would become the next request on that connection, in the client's own words. */
const isAnnounced = ({ headers }: IncomingMessage) =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

const STARTS_AGAIN = {
  zh: "控制台正在重新启动，请稍后刷新页面。",
  en: "The console is starting again. Please reload the page in a moment.",
};
const NO_DATABASE = {
  zh: "数据库不可用。API 调用仍按最后已知的状态提供服务；数据库恢复之前，控制台无法显示任何内容。",
  en: "The database is away. API calls are served from the last known state. The console can show nothing until the database is back.",
};

/** In the form that the client reads: JSON for a program, text for a browser. */
function awayReply(
  { redact }: Runtime,
  { headers, url }: IncomingMessage,
  words: typeof STARTS_AGAIN,
): Reply {
  const language = languageOf(headers["accept-language"] ?? null);
  const retry = { "retry-after": "2", "cache-control": "no-store" };
  if (url?.startsWith("/admin/")) {
    const reply = errorReply(new GatewayError("unavailable"), { language, redact, isCompat: false });
    return { ...reply, headers: { ...reply.headers, ...retry } };
  }
  const reply = plainReply(503, words[language]);
  return { ...reply, headers: { "content-type": "text/plain; charset=utf-8", ...retry } };
}

/** A console that starts takes a few seconds; a browser shows no error meanwhile. */
const STARTING_MS = 30_000;

/**
 * Hands a request on to the console's process, and its answer back, piece by piece and no faster than either side
 * reads. A console that is dead, or dies meanwhile, is only a 503: its parent starts another one, and kills one that
 * hangs, so that no request waits for ever. `firstConsole`: the console has listened; at a server's start, requests wait
 * for that. null: there is none, because the database is away.
 */
export function toConsole(
  runtime: Runtime,
  socketPath: string,
  firstConsole: Promise<void> | null = Promise.resolve(),
): NodeHandler {
  const words = firstConsole === null ? NO_DATABASE : STARTS_AGAIN;
  const handOn = handerOn(socketPath, (incoming) => awayReply(runtime, incoming, words));
  let isStarting = true;
  const started = (firstConsole ?? Promise.resolve()).then(() => {
    isStarting = false;
  });
  return async (incoming, outgoing) => {
    if (isStarting) {
      await withinMs(started, STARTING_MS);
    }
    if (!outgoing.destroyed) {
      handOn(incoming, outgoing);
    }
    return null;
  };
}

function handerOn(
  socketPath: string,
  away: (incoming: IncomingMessage) => Reply,
): (...args: Parameters<NodeHandler>) => void {
  return (incoming, outgoing) => {
    const { method, url: path } = incoming;
    const handed = request({
      socketPath,
      method,
      path,
      headers: headersOf(incoming),
      agent: false,
      // Otherwise a POST without a body would announce one of unknown length.
      setDefaultHeaders: false,
    });
    handed.on("response", (answer) => {
      const { statusCode = 502, statusMessage, rawHeaders } = answer;
      const headers = passing(
        rawHeaders,
        (name) => !OF_A_CONNECTION.test(name) && name.toLowerCase() !== "transfer-encoding",
      );
      outgoing.writeHead(statusCode, statusMessage, headers);
      answer.on("error", () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    handed.on("error", () => {
      if (outgoing.headersSent) {
        // The client has the answer, or a part of it that must not pass for the whole.
        if (!outgoing.writableEnded) {
          outgoing.destroy();
        }
        return;
      }
      if (outgoing.destroyed) {
        return;
      }
      incoming.resume();
      void writeReply(away(incoming), outgoing);
    });
    outgoing.on("close", () => {
      // The console refused it before reading all of it: the connection's next request comes after the rest.
      incoming.unpipe(handed).resume();
      handed.destroy();
    });
    if (isAnnounced(incoming)) {
      incoming.pipe(handed);
    } else {
      handed.end();
    }
  };
}

/** Hands on connections that change the protocol, which pages in development need (`npm run dev`). */
export function upgradeToConsole(socketPath: string) {
  return (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const headers = passing(incoming.rawHeaders, (name) => name.toLowerCase() !== PEER);
    const handed = request({ socketPath, path: incoming.url, headers, agent: false });
    const end = () => void socket.destroy();
    socket.on("error", end).on("close", () => handed.destroy());
    handed.on("upgrade", ({ statusCode, statusMessage, rawHeaders }, other, otherHead) => {
      const lines = namesOf(rawHeaders).map((name, at) => `${name}: ${rawHeaders[2 * at + 1]}`);
      socket.write([`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, "", ""].join("\r\n"));
      socket.write(otherHead);
      other.write(head);
      socket.on("close", () => other.destroy()).pipe(other);
      other.on("error", end).on("close", end).pipe(socket);
    });
    handed.on("response", end);
    handed.on("error", end);
    handed.end();
  };
}
