/** Prepares the schema at a start, before anything else uses the database. */
import { type Config, ConfigError } from "@/server/base/config";
import { findReason, isTransient, migrateDatabase, refusePooling, verifySchema } from "@/server/db";
import { migrationsFolder } from "../runtime/runtime";

function inWords(error: unknown): unknown {
  if (error instanceof ConfigError) {
    return error;
  }
  if (isTransient(error)) {
    return new ConfigError(`The database does not respond: ${String(error)}`, { cause: error });
  }
  const reason = findReason(error);
  return reason === null
    ? error
    : new ConfigError(`The database cannot be used: ${reason}. ${String(error)}`, { cause: error });
}

/**
 * Brings the database up to date, or with `MIGRATE=verify` checks whether it can be served. `say` gets a line about
 * each wait. Throws ConfigError in words.
 */
export async function prepareSchema(
  { MIGRATE }: Pick<Config, "MIGRATE">,
  { url, say }: { url: string; say: (line: string) => void },
): Promise<void> {
  try {
    if (MIGRATE === "start") {
      await migrateDatabase(url, migrationsFolder(), say);
      return;
    }
    const missing = await verifySchema(url, migrationsFolder());
    if (missing.length > 0) {
      say(
        `The database lacks ${missing.join(", ")}, which this release works without: run \`tollgate migrate\``,
      );
    }
  } catch (error) {
    throw inWords(error);
  }
}

/** Refuses a pooler in front of the database that splits sessions. Throws ConfigError in words. */
export async function refusePoolers(url: string): Promise<void> {
  try {
    await refusePooling(url);
  } catch (error) {
    throw inWords(error);
  }
}
