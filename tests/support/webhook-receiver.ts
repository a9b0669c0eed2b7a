import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** A delivery as a receiver got it. */
export type Received = { headers: Record<string, string>; body: string };

type Event = { type: string; timestamp: string; data: Record<string, unknown> };

/** A program that is told, and checks who tells it as Standard Webhooks' own library does. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const flat = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** The event, if this secret has signed it. Throws. */
export const verified = (secret: string, { headers, body }: Received): Event =>
  new Webhook(secret).verify(body, headers) as Event;

export async function startReceiver() {
  let [status, more]: [number, Record<string, string>] = [204, {}];
  const received: Received[] = [];
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", () => {
      received.push({ headers: flat(incoming.headers), body: Buffer.concat(parts).toString() });
      outgoing.writeHead(status, more).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`,
    received,
    /** What it answers from now on; `headers` beside the status. */
    answer: (next: number, headers: Record<string, string> = {}) => {
      [status, more] = [next, headers];
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
