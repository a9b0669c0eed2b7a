/**
 * What a gateway must know to serve a call, as last read from the database: keys with their accounts, the catalog with
 * its prices, channels with their sealed credentials, and the reserve of outage allowances that a start may sell. It is
 * sealed for a file in the data directory, for a start while the database is away.
 */
import { readFile } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import packageJson from "@/package.json";
import { type KeyRow, listKeyRows } from "@/server/access";
import { type Config, ConfigError } from "@/server/base/config";
import type { Log } from "@/server/base/log";
import { openPayload, sealPayload } from "@/server/base/sealed-payload";
import type { Secrets } from "@/server/base/secrets";
import { SHARES_PORTS } from "@/server/base/variables";
import { ageOf, type Draft, findClaimable, type Reserve, withdrawReserves } from "@/server/billing";
import { type KeptStock, readKeptStock } from "@/server/catalog";
import { listEnabledWays, type Way } from "@/server/channels";
import type { Database } from "@/server/db";
import { limitsOf } from "./limits";
import { arrearsDirectory, outageOf } from "./watches";

/** `takenAt`: the machine's clock when the reading began, in milliseconds. */
export type Snapshot = {
  takenAt: number;
  keys: KeyRow[];
  stock: KeptStock;
  ways: Way[];
  reserve: Reserve;
};

type SnapshotConfig = Pick<Config, "DATABASE_URL">;

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

/** What a process hears of changes. */
export type Withdrawal = { onChange: () => void; onMark: (mark: string) => void; onGap: () => void };

export const markOf = ({ holder, turn }: Draft): string => `${holder} ${turn}`;

/**
 * Every process withdraws the snapshot as soon as it hears of a change: a key that one of them knows to be revoked is not
 * served by the next start, even if the server is killed now. A process that hears it late leaves a newer snapshot,
 * because it has not heard that one's mark. So does a process that keeps no snapshot: another server of this directory
 * may have left one, and a later start may use it again.
 */
export function withdrawing(config: Config, log: Log): Withdrawal {
  const heard = new Map<string, number>();
  const withdraw = () => {
    try {
      withdrawReserves(arrearsDirectory(config), heard);
    } catch (error) {
      log.error({ err: error }, "the snapshot for a start without the database is out of date, and stays");
    }
  };
  return {
    onChange: withdraw,
    onMark: (mark) => {
      const [holder, turn] = mark.split(" ");
      if (holder !== undefined) {
        heard.set(holder, Number(turn));
      }
    },
    // A new connection: changes and marks may have been lost with the former one.
    onGap: () => {
      heard.clear();
      withdraw();
    },
  };
}

/** The address of the database without credentials, which may change. Another installation has another one. */
const ownerOf = ({ DATABASE_URL = "" }: SnapshotConfig) => ({
  purpose: "snapshot",
  id: DATABASE_URL.replace(/\/\/[^@/]*@/, "//").replace(/\?.*$/, ""),
  // Rows of another release may have other columns.
  accountId: packageJson.version,
});

/**
 * The age in milliseconds of the file that a start without the database would use now. null: it would find none, or the
 * disk does not say.
 */
export async function findKeptAge(config: Config): Promise<number | null> {
  const [file] = await findClaimable(arrearsDirectory(config)).catch(() => []);
  const ageMs = file ? await ageOf(file.path) : Number.NaN;
  return ageMs < snapshotMs(config) ? ageMs : null;
}

export async function takeSnapshot(db: Database, config: Config): Promise<Omit<Snapshot, "reserve">> {
  const takenAt = Date.now();
  return {
    takenAt,
    keys: await listKeyRows(db, limitsOf(config).cachedKeys),
    stock: await readKeptStock(db),
    ways: await listEnabledWays(db),
  };
}

export const sealSnapshot = (
  config: SnapshotConfig,
  { encryptionKey }: Pick<Secrets, "encryptionKey">,
  snapshot: Snapshot,
): Promise<Buffer> => sealPayload(serialize(snapshot), ownerOf(config), encryptionKey);

/** Reads a snapshot that may still be served from. Throws ConfigError with the reason if it may not. */
export async function readSnapshot(
  path: string,
  { config, secrets }: { config: Config; secrets: Secrets },
  now = Date.now(),
): Promise<Snapshot & { ageMs: number }> {
  const keys = [secrets.encryptionKey, secrets.previous.encryptionKey].filter((key) => key !== undefined);
  const opened = await openPayload(await readFile(path), ownerOf(config), keys);
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
