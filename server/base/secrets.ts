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

/** The secrets that sign sessions, encrypt channel credentials, and key the hashes of API keys. */
type Current = z.infer<typeof Stored>;

/** `previous`: the replaced secrets, which still open, recognise and verify what they sealed, hashed and signed. */
export type Secrets = Current & { previous: Partial<Current> };

/** The environment variable of each; the previous value is in the same name with `_PREVIOUS`. */
const variables = {
  authSecret: "AUTH_SECRET",
  encryptionKey: "ENCRYPTION_KEY",
  keyPepper: "KEY_PEPPER",
} as const satisfies Record<keyof Current, keyof Config>;

const fromConfig = (config: Config, suffix: "" | "_PREVIOUS"): Partial<Current> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, variable]) => {
      const secret = config[`${variable}${suffix}`];
      return secret ? [[name, secret]] : [];
    }),
  );

const fresh = (): Current => ({
  authSecret: randomBytes(32).toString("hex"),
  encryptionKey: randomBytes(32).toString("hex"),
  keyPepper: randomBytes(32).toString("hex"),
});

/**
 * Returns the environment's secrets. With the embedded database, missing ones are created once and stored next to it
 * (mode 0600). With an external one they must be given, because every replica needs the same. Throws ConfigError.
 */
export function loadSecrets(config: Config): Secrets {
  const current = fromConfig(config, "");
  const previous = fromConfig(config, "_PREVIOUS");
  if (config.DATABASE_URL) {
    const missing = Object.values(variables).filter((name) => !config[name]);
    if (missing.length > 0) {
      throw new ConfigError(
        `With DATABASE_URL set, ${missing.join(", ")} must be set too (openssl rand -hex 32), the same on every replica.`,
      );
    }
    return { ...(current as Current), previous };
  }
  const path = join(resolve(config.TOLLGATE_DATA_DIR), "secrets.json");
  if (!existsSync(path)) {
    mkdirSync(resolve(config.TOLLGATE_DATA_DIR), { recursive: true });
    const whole = `${path}.${process.pid}`;
    writeFileSync(whole, JSON.stringify(fresh()), { mode: 0o600 });
    // A link appears with its content or not at all: of two concurrent first starts, one creates it and both read it.
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
  return { ...kept, ...current, previous };
}
