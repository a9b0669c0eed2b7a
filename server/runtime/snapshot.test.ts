import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "@/server/base/config";
import { nanos } from "@/server/base/money";
import { loadSecrets } from "@/server/base/secrets";
import type { AccountId } from "@/server/domain/ids";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { readSnapshot, type Snapshot, sealSnapshot, snapshotMs } from "./snapshot";

const home = temporaryDirectory();
const MINUTE = 60_000;

const environment = {
  DATABASE_URL: "postgres://user:password@db.example:5432/tollgate?sslmode=require",
  ...{ AUTH_SECRET: "a".repeat(32), ENCRYPTION_KEY: "b".repeat(32), KEY_PEPPER: "c".repeat(32) },
  ...{ CHARGES: "file", SNAPSHOT_MINUTES: "30" },
};

const stock = { written: new Map(), toCome: new Map(), costs: new Map(), groups: new Map() };
const reserve = {
  holder: "reserve_1",
  parts: [{ accountId: "acc_1" as AccountId, amount: nanos(5n), allowance: null }],
};
const snapshot: Snapshot = { takenAt: Date.now() - MINUTE, keys: [], stock, ways: [], reserve };

async function written() {
  const path = join(await mkdtemp(join(home, "snapshot-")), "sealed");
  const configOf = (change: Record<string, string> = {}) =>
    loadConfig({ ...environment, TOLLGATE_DATA_DIR: home, ...change });
  await writeFile(path, await sealSnapshot(configOf(), loadSecrets(configOf()), snapshot));
  const read = async (change: Record<string, string> = {}, now?: number) =>
    await readSnapshot(path, { config: configOf(change), secrets: loadSecrets(configOf(change)) }, now);
  return { path, read };
}

test("a snapshot is read as it was written, by its owner alone", async () => {
  const { read } = await written();
  expect(await read()).toMatchObject({ takenAt: snapshot.takenAt, stock, reserve });
  // Credentials of the database change, and it stays the same database.
  expect(
    await read({ DATABASE_URL: environment.DATABASE_URL.replace("user:password", "next:secret") }),
  ).toMatchObject({
    takenAt: snapshot.takenAt,
  });
});

test("one that is torn, altered, of another secret or of another installation is not used", async () => {
  const { path, read } = await written();
  const whole = await readFile(path);
  const others: Record<string, string>[] = [
    { ENCRYPTION_KEY: "d".repeat(32) },
    { DATABASE_URL: environment.DATABASE_URL.replace("db.example", "other.example") },
  ];
  for (const change of others) {
    await expect(read(change)).rejects.toThrow("installation, secret or release");
  }
  expect(
    await read({ ENCRYPTION_KEY: "d".repeat(32), ENCRYPTION_KEY_PREVIOUS: "b".repeat(32) }),
  ).toMatchObject({
    takenAt: snapshot.takenAt,
  });
  for (const file of [
    whole.subarray(0, -1),
    whole.subarray(0, 5),
    Buffer.concat([whole.subarray(0, 40), Buffer.from("x"), whole.subarray(41)]),
  ]) {
    await writeFile(path, file);
    await expect(read()).rejects.toThrow("is damaged");
  }
});

test("one is used until its age is above the setting or the longest outage, and never from the future", async () => {
  const { read } = await written();
  const at = (minutes: number) => snapshot.takenAt + minutes * MINUTE;
  expect(await read({}, at(29))).toMatchObject({ ageMs: 29 * MINUTE });
  await expect(read({}, at(30))).rejects.toThrow("too old: 30 minutes");
  await expect(read({ OUTAGE_MINUTES: "10" }, at(10))).rejects.toThrow("too old: 10 minutes");
  await expect(read({}, at(-1))).rejects.toThrow("from the future");
});

test.each([
  ["SNAPSHOT_MINUTES", "0"],
  ["CHARGES", "database"],
  ["SYNC_STANDBY", "require"],
])("none is kept with %s=%s, because nothing would be sold from it", (name, value) => {
  expect(snapshotMs(loadConfig({ ...environment, [name]: value }))).toBe(0);
  expect(snapshotMs(loadConfig(environment))).toBe(30 * MINUTE);
  const { SNAPSHOT_MINUTES: _, ...unset } = environment;
  expect(snapshotMs(loadConfig(unset))).toBe(0);
});
