import { once } from "node:events";
import type { Server } from "node:http";
import { Server as Listener } from "node:net";
import { sleep } from "@/server/base/clock";
import { type Config, lameDuckMs } from "@/server/base/config";
import type { Runtime } from "../runtime/runtime";

/** SIGINT comes from a person at the terminal: no balancer has to notice the end first. */
export const SIGNALS = ["SIGTERM", "SIGINT"] as const;
export const isAtOnce = (signal: string): boolean => signal === "SIGINT";

/** For clients that hold a connection: their next call is answered on it, and closes it. */
const LINGER_MS = 1_000;

/** After the end of a drain, for charges and final messages. */
const CUT_SECONDS = 5;

/** For closing, once the drain is over. */
const CLOSE_SECONDS = 20;

/** The time that a process has to stop. */
export const stopMs = (config: Config): number =>
  lameDuckMs(config) + LINGER_MS + (config.DRAIN_SECONDS + CLOSE_SECONDS) * 1000;

/** The longest wait for a moment in which no client waits to be accepted. */
const ACCEPT_MS = 5_000;

/** A round of the event loop that took less had little to do, and most stops soon see one. */
const QUIET_MS = 1;
const QUIET_WITHIN_MS = 1_000;

/**
 * Waits until the event loop has looked for clients that wait to be accepted, and found none. A connection that the
 * kernel has made and no process has accepted is reset with its listener, and a proxy turns that into a 502. A round of the
 * loop accepts one connection of any number (libuv 1.45 and newer), so only a round without one has seen the end.
 */
async function acceptAll(server: Server): Promise<void> {
  const since = performance.now();
  const elapsedMs = () => performance.now() - since;
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
  let hasCome = false;
  const note = () => {
    hasCome = true;
  };
  server.on("connection", note);
  // From here on each turn has a whole look at the sockets in it.
  await turn();
  while (elapsedMs() < ACCEPT_MS) {
    hasCome = false;
    const begunMs = elapsedMs();
    await turn();
    // Between the look and the listener's end another connection may come, so this time should be short.
    const isQuiet = elapsedMs() - begunMs < QUIET_MS || begunMs > QUIET_WITHIN_MS;
    if (!hasCome && isQuiet) {
      break;
    }
  }
  server.off("connection", note);
}

/**
 * Closes a server without losing a call: it announces its end (`/readyz`, `connection: close` on each answer), serves
 * until balancers have noticed or `hurry` aborts, stops listening, and closes its connections as they become idle.
 * Returns when the last one has closed.
 */
export async function closeServer(server: Server, runtime: Runtime, hurry: AbortSignal): Promise<void> {
  const { config, timers, drain, endCalls } = runtime;
  drain();
  if (!server.listening) {
    return;
  }
  await sleep(timers, lameDuckMs(config), hurry);
  await acceptAll(server);
  const closed = once(server, "close");
  // HTTP's own `close` would also end idle connections, and with them calls that are on their way (nodejs/node#60617).
  Listener.prototype.close.call(server);
  // Open calls may finish. After the drain they end with an error that SDKs understand, and a little later the rest is
  // cut: clients that do not read.
  const drainMs = config.DRAIN_SECONDS * 1000;
  const keep = timers.after(drainMs, endCalls);
  const spare = timers.after(drainMs + CUT_SECONDS * 1000, () => server.closeAllConnections());
  await Promise.race([closed, sleep(timers, LINGER_MS, hurry)]);
  // A client that keeps its connection for the next call would delay the end by the whole drain.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await closed;
  keep();
  spare();
  clearInterval(idle);
}
