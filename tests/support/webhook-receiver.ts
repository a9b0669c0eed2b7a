import { createServer, type IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { bodyOf, end, listen } from "./listen";

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
  const server = createServer(async (incoming, outgoing) => {
    received.push({ headers: flat(incoming.headers), body: (await bodyOf(incoming)).toString() });
    outgoing.writeHead(status, more).end();
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}/told`,
    received,
    /** What it answers from now on; `headers` beside the status. */
    answer: (next: number, headers: Record<string, string> = {}) => {
      [status, more] = [next, headers];
    },
    close: () => void end(server),
  };
}
