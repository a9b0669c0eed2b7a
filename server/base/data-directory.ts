import { accessSync, constants, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { type Config, ConfigError } from "./config";

/**
 * Makes the data directory where there is none. Throws ConfigError where nothing can be written into it: the embedded
 * database is there, and with another one the charges that wait for it.
 */
export function openDataDirectory({ TOLLGATE_DATA_DIR }: Pick<Config, "TOLLGATE_DATA_DIR">): void {
  const path = resolve(TOLLGATE_DATA_DIR);
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new ConfigError(
      `${path} cannot be written (${(error as Error).message}). It keeps charges while the database is away: set ` +
        "TOLLGATE_DATA_DIR to a directory of the server's user, on a disk that outlasts the process.",
      { cause: error },
    );
  }
}
