/**
 * The one runtime of this process. `server/process/main.ts` shares the one that it has built; under plain `next start` the
 * first request builds it from the environment.
 */

import { type Config, ConfigError, loadConfig } from "@/server/base/config";
import { findEmbeddedUrl } from "@/server/db";
import { createRuntime, type Runtime } from "./runtime";

const KEY = Symbol.for("tollgate.runtime");
const shared = globalThis as typeof globalThis & { [KEY]?: Promise<Runtime> };

const FRONT = Symbol.for("tollgate.front");
const front = globalThis as typeof globalThis & { [FRONT]?: true };

/**
 * Declares that every request that reaches Next in this process came through our server, which knows the client's
 * address.
 */
export function standInFront(): void {
  front[FRONT] = true;
}

/** Under plain `next start` no server in front could vouch for `x-forwarded-*`. */
export const isFronted = (): boolean => front[FRONT] === true;

/** Makes a runtime available to route modules. */
export function shareRuntime(runtime: Runtime): void {
  shared[KEY] = Promise.resolve(runtime);
}

/** The process's runtime, built from the environment if none was shared. */
export function getRuntime(): Promise<Runtime> {
  shared[KEY] ??= startFromEnvironment().catch((error: unknown) => {
    delete shared[KEY];
    throw error;
  });
  return shared[KEY];
}

/** Throws ConfigError if there is no database yet. */
export function databaseUrlOf(config: Config): string {
  const databaseUrl = config.DATABASE_URL ?? findEmbeddedUrl(config.TOLLGATE_DATA_DIR);
  if (!databaseUrl) {
    throw new ConfigError("There is no database yet. Set DATABASE_URL, or run `npm start` once.");
  }
  return databaseUrl;
}

async function startFromEnvironment(): Promise<Runtime> {
  const config = loadConfig();
  return await createRuntime({ config, databaseUrl: databaseUrlOf(config) });
}
