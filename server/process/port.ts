import { once } from "node:events";
import { createServer, type ListenOptions } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, ConfigError } from "@/server/base/config";

/** Processes of a parent that was killed a moment ago may still hold its port. */
const ORPHANS_MS = 2_000;

/** Another program has the port. */
export const portInUse = ({ host, port }: ListenOptions): ConfigError =>
  new ConfigError(`Port ${port} of ${host} is in use. Set PORT to another port.`);

async function probe(at: ListenOptions): Promise<number | undefined> {
  const server = createServer().listen(at);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : at.port;
}

/**
 * The port that the gateways will share; for port 0, a free one. The gateways themselves would not notice another
 * program that shares the port as they do, such as another Tollgate.
 */
export async function findPort({ HOST: host, PORT }: Config): Promise<number> {
  const until = performance.now() + ORPHANS_MS;
  for (;;) {
    try {
      return (await probe({ host, port: PORT })) ?? PORT;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") {
        throw error;
      }
      if (performance.now() > until) {
        throw portInUse({ host, port: PORT });
      }
      await sleep(100);
    }
  }
}
