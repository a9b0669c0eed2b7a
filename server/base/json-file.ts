import { existsSync, readFileSync } from "node:fs";
import type { z } from "zod";
import { ConfigError } from "./config";

/**
 * Reads one of our JSON files; null if it does not exist. Throws ConfigError with its name if the content is invalid.
 */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>): T | null {
  if (!existsSync(path)) {
    return null;
  }
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new ConfigError(`${path} is damaged. Restore it from a backup; it cannot be recreated.`, {
      cause: error,
    });
  }
}
