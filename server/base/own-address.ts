/** The addresses at which this gateway can be reached. */
import type { Config } from "./config";

/** The gateway's address on this machine. */
export function localAddress({ HOST, PORT }: Pick<Config, "HOST" | "PORT">): string {
  const host = ["0.0.0.0", "::"].includes(HOST) ? "127.0.0.1" : HOST;
  return `http://${host.includes(":") ? `[${host}]` : host}:${PORT}`;
}

/**
 * The gateway's public address: the configured one, or where it listens. `port`: the actual port if 0 was configured.
 */
export const publicAddress = (config: Config, port = config.PORT): string =>
  config.PUBLIC_URL ?? localAddress({ HOST: config.HOST, PORT: port });
