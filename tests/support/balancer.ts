import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Pool } from "undici";
import { bodyOf, end, listen } from "./listen";
import { until } from "./until";

/** A replica behind the balancer. `isReady`: by its last check. */
type Replica = { pool: Pool; url: string; isReady: boolean };

const isRefused = (error: unknown): boolean => (error as { code?: string }).code === "ECONNREFUSED";

async function look(replica: Replica): Promise<void> {
  const answer = await fetch(`${replica.url}/readyz`, { signal: AbortSignal.timeout(1_000) }).catch(
    () => null,
  );
  replica.isReady = answer?.ok === true;
}

/**
 * A typical balancer: it keeps connections to replicas, checks `/readyz` every 250 ms, and sends a call whose
 * connection is refused to the other replica. It never sends a request twice.
 */
export async function startBalancer(urls: string[]) {
  const replicas: Replica[] = urls.map((url) => ({
    pool: new Pool(url, { connections: 256, pipelining: 1, keepAliveTimeout: 60_000, bodyTimeout: 0 }),
    url,
    isReady: true,
  }));
  let turn = 0;
  const inTurn = () => {
    turn++;
    const from = turn % replicas.length;
    const turned = [...replicas.slice(from), ...replicas.slice(0, from)];
    return [...turned.filter(({ isReady }) => isReady), ...turned.filter(({ isReady }) => !isReady)];
  };
  const looks = setInterval(() => {
    for (const replica of replicas) {
      void look(replica);
    }
  }, 250);

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { host: _, connection: __, "content-length": ___, ...headers } = incoming.headers;
    const call = {
      ...{ path: incoming.url ?? "/", method: incoming.method ?? "GET", headers },
      body: await bodyOf(incoming),
    };
    let refused: unknown;
    for (const { pool } of inTurn()) {
      try {
        const answer = await pool.request({ ...call, method: call.method as "POST" });
        const { connection: _, "keep-alive": __, "transfer-encoding": ___, ...kept } = answer.headers;
        outgoing.writeHead(answer.statusCode, kept);
        await pipeline(answer.body, outgoing);
        return;
      } catch (error) {
        if (!isRefused(error)) {
          throw error;
        }
        refused = error;
      }
    }
    throw refused;
  }

  const server: Server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch((error: unknown) => {
      if (outgoing.headersSent) {
        outgoing.destroy();
      } else {
        outgoing.writeHead(502).end(String(error));
      }
    });
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    /** Restarts one replica after the other. `restart`: resolves when the new one serves. */
    roll: async (restart: (place: number) => Promise<void>) => {
      for (const [place, replica] of replicas.entries()) {
        await restart(place);
        await until(() => replica.isReady);
      }
    },
    close: async () => {
      clearInterval(looks);
      await end(server);
      await Promise.all(replicas.map(({ pool }) => pool.destroy()));
    },
  };
}
