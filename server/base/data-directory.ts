import { accessSync, constants, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { type Config, ConfigError } from "./config";

/**
 * Creates the data directory if necessary. Throws ConfigError if it is not writable: it contains the embedded database
 * or, with an external one, charges that wait for it.
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
