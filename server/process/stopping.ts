import { once } from "node:events";
import type { Server } from "node:http";
import type { Config } from "@/server/base/config";
import type { Runtime } from "./runtime";

export const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** After the end of a drain, for charges and last words. */
const CUT_SECONDS = 5;

/** For closing, once the drain is over. */
const CLOSE_SECONDS = 20;

/** How long a process has from the word to stop. */
export const stopMs = ({ DRAIN_SECONDS }: Config): number => (DRAIN_SECONDS + CLOSE_SECONDS) * 1000;

/** Takes no more connections, and returns when those that there are have ended. */
export async function closeServer(server: Server, { config, endCalls }: Runtime): Promise<void> {
  if (!server.listening) {
    return;
  }
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  // Calls under way may finish. Then they end with an error that SDKs understand, and what is left is cut a little
  // later: clients that do not read.
  const end = setTimeout(() => endCalls(), config.DRAIN_SECONDS * 1000);
  const cut = setTimeout(() => server.closeAllConnections(), (config.DRAIN_SECONDS + CUT_SECONDS) * 1000);
  // A client that keeps its connection for the next call would hold us up for the whole drain.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await closed;
  clearTimeout(end);
  clearTimeout(cut);
  clearInterval(idle);
}
