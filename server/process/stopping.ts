import { once } from "node:events";
import type { Server } from "node:http";
import { Server as Listener } from "node:net";
import { sleep } from "@/server/base/clock";
import { type Config, lameDuckMs } from "@/server/base/config";
import type { Runtime } from "./runtime";

/** SIGINT comes from a person at the terminal: no balancer has to notice anything first. */
export const SIGNALS = ["SIGTERM", "SIGINT"] as const;
export const isAtOnce = (signal: string): boolean => signal === "SIGINT";

/** For clients that hold a connection: their next call is answered on it, and ends it. */
const LINGER_MS = 1_000;

/** After the end of a drain, for charges and last words. */
const CUT_SECONDS = 5;

/** For closing, once the drain is over. */
const CLOSE_SECONDS = 20;

/** How long a process has from the word to stop. */
export const stopMs = (config: Config): number =>
  lameDuckMs(config) + LINGER_MS + (config.DRAIN_SECONDS + CLOSE_SECONDS) * 1000;

const ROUNDS = 100;
const QUIET_MS = 1;

/**
 * Until the event loop has just taken all that came and had little else to do. What has connected and was not accepted is
 * reset with its listener, and a proxy makes a 502 of it: 2 of 10,427 calls behind nginx, of which no server heard.
 */
async function accepted(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    await new Promise<void>((resolve) => void setImmediate(resolve));
    if (performance.now() - begun < QUIET_MS) {
      return;
    }
  }
}

/**
 * Ends a server so that nobody loses a call: it says that it goes (`/readyz`, `connection: close` on each answer) and
 * serves on until balancers have noticed or `hurry` aborts, listens no more, and ends its connections as they fall
 * idle. Returns when the last one has ended.
 */
export async function closeServer(server: Server, runtime: Runtime, hurry: AbortSignal): Promise<void> {
  const { config, timers, drain, endCalls } = runtime;
  drain();
  if (!server.listening) {
    return;
  }
  await sleep(timers, lameDuckMs(config), hurry);
  await accepted();
  const closed = once(server, "close");
  // That of HTTP would also end idle connections, and with them calls that are on their way (nodejs/node#60617).
  Listener.prototype.close.call(server);
  // Calls under way may finish. Then they end with an error that SDKs understand, and what is left is cut a little
  // later: clients that do not read.
  const drainMs = config.DRAIN_SECONDS * 1000;
  const keep = timers.after(drainMs, endCalls);
  const spare = timers.after(drainMs + CUT_SECONDS * 1000, () => server.closeAllConnections());
  await Promise.race([closed, sleep(timers, LINGER_MS, hurry)]);
  // A client that keeps its connection for the next call would hold us up for the whole drain.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await closed;
  keep();
  spare();
  clearInterval(idle);
}
