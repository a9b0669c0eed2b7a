import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { end, listen } from "./listen";

/** Linux takes ports for outgoing connections and for servers that ask for any port from 32,768 up. */
const FIRST = 20_000;
const COUNT = 12_000;

/**
 * A port of 127.0.0.1 for a server that another process starts later, perhaps seconds later. A port that the system
 * gives away could be given to another test before the server listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, FIRST + COUNT);
    if ((await reserve(port)) && (await isFree(port))) {
      return port;
    }
  }
}

/**
 * Keeps the port from other tests until this process ends: a UDP socket of that number, of which there can be one. A
 * server on TCP does not need it.
 */
async function reserve(port: number): Promise<boolean> {
  const guard = createSocket("udp4").unref();
  try {
    guard.bind({ port, address: "127.0.0.1", exclusive: true });
    await once(guard, "listening");
    return true;
  } catch {
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await listen(probe, { port, host: "127.0.0.1" });
    return true;
  } catch {
    return false;
  } finally {
    await end(probe);
  }
}
