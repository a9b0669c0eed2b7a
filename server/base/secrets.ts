import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { type Config, ConfigError } from "./config";
import { readJsonFile } from "./json-file";

const Stored = z.object({
  authSecret: z.string().min(32),
  encryptionKey: z.string().min(32),
  keyPepper: z.string().min(32),
});

/** Signs sessions, encrypts channel credentials, and keys the hashes of API keys. */
type Current = z.infer<typeof Stored>;

/**
 * `previous`: those that are being replaced, which still open what they sealed, and know what they hashed and signed.
 */
export type Secrets = Current & { previous: Partial<Current> };

const fromConfig = (config: Config): Partial<Current> => ({
  ...(config.AUTH_SECRET && { authSecret: config.AUTH_SECRET }),
  ...(config.ENCRYPTION_KEY && { encryptionKey: config.ENCRYPTION_KEY }),
  ...(config.KEY_PEPPER && { keyPepper: config.KEY_PEPPER }),
});

const previousFrom = (config: Config): Partial<Current> => ({
  ...(config.AUTH_SECRET_PREVIOUS && { authSecret: config.AUTH_SECRET_PREVIOUS }),
  ...(config.ENCRYPTION_KEY_PREVIOUS && { encryptionKey: config.ENCRYPTION_KEY_PREVIOUS }),
  ...(config.KEY_PEPPER_PREVIOUS && { keyPepper: config.KEY_PEPPER_PREVIOUS }),
});

const fresh = (): Current => ({
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
  const previous = previousFrom(config);
  if (config.DATABASE_URL) {
    const missing = (["AUTH_SECRET", "ENCRYPTION_KEY", "KEY_PEPPER"] as const).filter(
      (name) => !config[name],
    );
    if (missing.length > 0) {
      throw new ConfigError(
        `With DATABASE_URL set, ${missing.join(", ")} must be set too (openssl rand -hex 32), the same on every replica.`,
      );
    }
    return { ...(given as Current), previous };
  }
  const path = join(resolve(config.TOLLGATE_DATA_DIR), "secrets.json");
  if (!existsSync(path)) {
    mkdirSync(resolve(config.TOLLGATE_DATA_DIR), { recursive: true });
    const whole = `${path}.${process.pid}`;
    writeFileSync(whole, JSON.stringify(fresh()), { mode: 0o600 });
    // A link appears with its content or not at all, and of two first starts at once one makes it and both read it.
    try {
      linkSync(whole, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw error;
      }
    } finally {
      rmSync(whole);
    }
  }
  const kept = readJsonFile(path, Stored);
  if (kept === null) {
    throw new ConfigError(`${path} is gone again`);
  }
  return { ...kept, ...given, previous };
}
