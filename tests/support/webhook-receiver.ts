import { createServer, type IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { bodyOf, end, listen } from "./listen";

export type ReceivedWebhook = { headers: Record<string, string>; body: string };

type Event = { type: string; timestamp: string; data: Record<string, unknown> };

/** A receiver of webhooks, which checks signatures with Standard Webhooks' own library. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const flat = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** The event, if this secret has signed it. Otherwise throws. */
export const verified = (secret: string, { headers, body }: ReceivedWebhook): Event =>
  new Webhook(secret).verify(body, headers) as Event;

export async function startReceiver() {
  let [status, more]: [number, Record<string, string>] = [204, {}];
  const received: ReceivedWebhook[] = [];
  const server = createServer(async (incoming, outgoing) => {
    received.push({ headers: flat(incoming.headers), body: (await bodyOf(incoming)).toString() });
    outgoing.writeHead(status, more).end();
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}/told`,
    received,
    /** Sets its next status, with `headers`. */
    answer: (next: number, headers: Record<string, string> = {}) => {
      [status, more] = [next, headers];
    },
    close: () => void end(server),
  };
}
