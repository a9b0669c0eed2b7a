import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, ConfigError } from "./config";

/** Signs sessions, encrypts channel credentials, and keys the hashes of API keys. */
export type Secrets = { authSecret: string; encryptionKey: string; keyPepper: string };

const fromConfig = (config: Config): Partial<Secrets> => ({
  ...(config.AUTH_SECRET && { authSecret: config.AUTH_SECRET }),
  ...(config.ENCRYPTION_KEY && { encryptionKey: config.ENCRYPTION_KEY }),
  ...(config.KEY_PEPPER && { keyPepper: config.KEY_PEPPER }),
});

const fresh = (): Secrets => ({
  authSecret: randomBytes(32).toString("hex"),
  encryptionKey: randomBytes(32).toString("hex"),
  keyPepper: randomBytes(32).toString("hex"),
});

/**
 * The environment's secrets. With the embedded database those that are missing are made once and kept beside it
 * (mode 0600); with an external one they must be given, because every replica needs the same. Throws ConfigError.
 */
export function loadSecrets(config: Config): Secrets {
  const given = fromConfig(config);
  if (config.DATABASE_URL) {
    const missing = (["AUTH_SECRET", "ENCRYPTION_KEY", "KEY_PEPPER"] as const).filter(
      (name) => !config[name],
    );
    if (missing.length > 0) {
      throw new ConfigError(
        `With DATABASE_URL set, ${missing.join(", ")} must be set too (openssl rand -hex 32), the same on every replica.`,
      );
    }
    return given as Secrets;
  }
  const path = join(resolve(config.TOLLGATE_DATA_DIR), "secrets.json");
  if (!existsSync(path)) {
    mkdirSync(resolve(config.TOLLGATE_DATA_DIR), { recursive: true });
    // `wx`: of two first starts at once, one writes and both read.
    try {
      writeFileSync(path, JSON.stringify(fresh()), { mode: 0o600, flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw error;
      }
    }
  }
  return { ...(JSON.parse(readFileSync(path, "utf8")) as Secrets), ...given };
}
