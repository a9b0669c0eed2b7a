/**
 * What a gateway must know to serve a call, as last read from the database: keys with their accounts, the catalog with
 * its prices, channels with their sealed credentials. It is one sealed file in the data directory, for a start while the
 * database is away.
 */
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { deserialize, serialize } from "node:v8";
import packageJson from "@/package.json";
import { type KeyRow, listKeyRows } from "@/server/access";
import { type Config, ConfigError } from "@/server/base/config";
import { openPayload, sealPayload } from "@/server/base/sealed-payload";
import type { Secrets } from "@/server/base/secrets";
import { SHARES_PORTS } from "@/server/base/variables";
import { type KeptStock, readKeptStock } from "@/server/catalog";
import { listEnabledWays, type Way } from "@/server/channels";
import type { Database } from "@/server/db";
import { limitsOf } from "./limits";
import { outageOf } from "./watches";

/** `takenAt`: the machine's clock when the reading began, in milliseconds. */
export type Snapshot = {
  takenAt: number;
  keys: KeyRow[];
  stock: KeptStock;
  ways: Way[];
};

type SnapshotConfig = Pick<Config, "TOLLGATE_DATA_DIR" | "DATABASE_URL">;

export const snapshotPath = ({ TOLLGATE_DATA_DIR }: Pick<Config, "TOLLGATE_DATA_DIR">) =>
  join(resolve(TOLLGATE_DATA_DIR), "snapshot.sealed");

/**
 * How old a snapshot may be that is served from, in milliseconds. 0: none is kept. Nothing can be sold for longer than an
 * outage may last, and nothing from this snapshot where the database is the server's own or a standby is required.
 */
export function snapshotMs(config: Config): number {
  const outage = outageOf(config);
  return outage === null ||
    config.DATABASE_URL === undefined ||
    config.SYNC_STANDBY === "require" ||
    !SHARES_PORTS
    ? 0
    : Math.min(config.SNAPSHOT_MINUTES * 60_000, outage.longestMs);
}

/** The address of the database without credentials, which may change. Another installation has another one. */
const ownerOf = ({ DATABASE_URL = "" }: SnapshotConfig) => ({
  purpose: "snapshot",
  id: DATABASE_URL.replace(/\/\/[^@/]*@/, "//").replace(/\?.*$/, ""),
  // Rows of another release may have other columns.
  accountId: packageJson.version,
});

export async function takeSnapshot(db: Database, config: Config): Promise<Snapshot> {
  const takenAt = Date.now();
  return {
    takenAt,
    keys: await listKeyRows(db, limitsOf(config).cachedKeys),
    stock: await readKeptStock(db),
    ways: await listEnabledWays(db),
  };
}

/** Writes the file whole or not at all. */
export async function writeSnapshot(
  config: SnapshotConfig,
  secrets: Secrets,
  snapshot: Snapshot,
): Promise<void> {
  const path = snapshotPath(config);
  const sealed = await sealPayload(serialize(snapshot), ownerOf(config), secrets.encryptionKey);
  await mkdir(dirname(path), { recursive: true });
  const file = await open(`${path}.${process.pid}`, "w", 0o600);
  try {
    await file.writeFile(sealed);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.${process.pid}`, path);
}

/** Reads a snapshot that may still be served from. Throws ConfigError with the reason if there is none. */
export async function readSnapshot(
  config: Config,
  secrets: Secrets,
  now = Date.now(),
): Promise<Snapshot & { ageMs: number }> {
  const file = await readFile(snapshotPath(config)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      throw new ConfigError("there is no snapshot of keys and prices");
    }
    throw error;
  });
  const keys = [secrets.encryptionKey, secrets.previous.encryptionKey].filter((key) => key !== undefined);
  const opened = await openPayload(file, ownerOf(config), keys);
  if (opened === null) {
    throw new ConfigError(
      "the snapshot of keys and prices is damaged, or of another installation, secret or release",
    );
  }
  const snapshot = deserialize(opened) as Snapshot;
  const ageMs = now - snapshot.takenAt;
  // The clock decides the month of each charge, and nothing else can be compared with it.
  if (ageMs < 0) {
    throw new ConfigError(
      "the snapshot of keys and prices is from the future: this machine's clock is wrong",
    );
  }
  if (ageMs >= snapshotMs(config)) {
    throw new ConfigError(
      `the snapshot of keys and prices is too old: ${Math.round(ageMs / 60_000)} minutes`,
    );
  }
  return { ...snapshot, ageMs };
}
