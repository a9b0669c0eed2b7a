/** The snapshot that a server keeps for a start without its database, and what it hears of changes. */
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { deleteKey, issueKey, setAccountLimits, updateKey } from "@/server/access";
import { loadConfig } from "@/server/base/config";
import { loadSecrets } from "@/server/base/secrets";
import { sqlOf } from "@/server/db/handles";
import { keepSnapshot } from "@/server/process/keep-snapshot";
import { createRuntime } from "@/server/runtime/runtime";
import { readSnapshot } from "@/server/runtime/snapshot";
import { openStandIn } from "@/server/runtime/stand-in";
import { addCustomer, money } from "@/tests/support/customer";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { serverEnvironment } from "@/tests/support/gateway";
import { expectRefused } from "@/tests/support/refusal";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { until } from "@/tests/support/until";

const home = temporaryDirectory();

/** A process of a server, which starts and stops its keeper. */
async function server() {
  const databaseUrl = await freshDatabase();
  const db = openFresh(databaseUrl);
  const dataDir = await mkdtemp(join(home, "data-"));
  const config = loadConfig({
    ...{ ...serverEnvironment(databaseUrl), CHARGES: "file", SNAPSHOT_MINUTES: "5", OUTAGE_ALLOWANCE: "50" },
    TOLLGATE_DATA_DIR: dataDir,
  });
  const runtime = await createRuntime({ config, databaseUrl });
  const customer = await addCustomer(db, config.KEY_PEPPER ?? "", { name: "customer", quota: "1000" });
  onTestFinished(async () => {
    await runtime.close();
    await db.close();
  });
  const directory = join(dataDir, "charges");
  await mkdir(directory);
  const files = async (state: string) =>
    (await readdir(directory))
      .filter((name) => name.endsWith(`.${state}`))
      .map((name) => join(directory, name));
  const read = async () => {
    const [path = ""] = await files("sealed");
    return await readSnapshot(path, { config, secrets: loadSecrets(config) });
  };
  return { db, config, runtime, customer, files, read, keep: () => keepSnapshot(runtime) };
}

test("a change of a key or an account withdraws the file at once, without the keeper, and the next one has it", async () => {
  const { db, config, customer, files, read, keep } = await server();
  const { accountId } = customer;
  const pepper = config.KEY_PEPPER ?? "";
  const revoked = await issueKey(db, { accountId, name: "revoked" }, pepper);
  const narrowed = await issueKey(db, { accountId, name: "narrowed" }, pepper);
  const changes = [
    () => deleteKey(db, { accountId, keyId: revoked.id }),
    () => updateKey(db, { accountId, keyId: narrowed.id, allowedIps: ["10.0.0.1"] }),
    () => setAccountLimits(db, { accountId, outageAllowance: money("1") }),
  ];
  for (const change of changes) {
    const stop = keep();
    await until(async () => (await files("sealed")).length === 1);
    await stop();
    expect(await files("withdrawn")).toEqual([]);
    await change();
    await until(async () => (await files("sealed")).length === 0);
    expect(await files("withdrawn")).toHaveLength(1);
  }
  const stop = keep();
  await until(async () => (await files("sealed")).length === 1);
  await stop();
  const { keys } = await read();
  expect(keys.find(({ keyId }) => keyId === revoked.id)?.deletedAt).toBeInstanceOf(Date);
  expect(keys.find(({ keyId }) => keyId === narrowed.id)?.allowedIps).toEqual(["10.0.0.1"]);
  expect(await files("withdrawn")).toEqual([]);
});

test("the keeper goes on after a change, with a file that has it", async () => {
  const { db, customer, files, read, keep } = await server();
  const stop = keep();
  await until(async () => (await files("sealed")).length === 1);
  await deleteKey(db, { accountId: customer.accountId, keyId: customer.keyId });
  await until(async () => {
    // The file comes and goes meanwhile.
    const found = await read().catch(() => null);
    return found?.keys.find(({ keyId }) => keyId === customer.keyId)?.deletedAt instanceof Date;
  });
  await stop();
});

/** A process of another server has a part of the account's allowance: it is one that calls. */
const call = (db: Awaited<ReturnType<typeof server>>["db"], accountId: string) =>
  sqlOf(db)`
    insert into outage_parts (account_id, process_id, amount, turn, expires_at)
    values (${accountId}, 'proc_other', 0, 1, now() + interval '1 hour')`;

test("a start without the database sells a tenth of the allowance that applies now, and refuses what it cannot trust", async () => {
  const { db, config, customer, files, read, keep } = await server();
  const { accountId, keyId } = customer;
  await call(db, accountId);
  const stop = keep();
  await until(async () => (await files("sealed")).length === 1 && (await read()).reserve.parts.length === 1);
  await stop();
  expect((await read()).reserve.parts).toEqual([{ accountId, amount: money("5"), allowance: null }]);

  const startWith = (change: Partial<typeof config>) =>
    openStandIn(
      { config: { ...config, ...change }, databaseUrl: "postgres://nobody@127.0.0.1:1/none" },
      () => true,
    );
  await expect(startWith({ SNAPSHOT_MINUTES: 0 })).rejects.toThrow("SNAPSHOT_MINUTES is 0");
  expect(await files("sealed")).toHaveLength(1);
  // Lowered in the environment of the new start, from 50 to 20.
  const standIn = await startWith({ OUTAGE_ALLOWANCE: "20" });
  onTestFinished(() => standIn.close());
  const hold = async (amount: string) =>
    await standIn.billing.hold({
      requestId: `req_${amount}`,
      accountId,
      keyId,
      keyCap: null,
      amount: money(amount),
    });
  await expectRefused(hold("2.1"), "unavailable");
  expect(await hold("2")).toMatchObject({ amount: money("2") });
  await expectRefused(hold("0.1"), "unavailable");
  await expect(startWith({})).rejects.toThrow("no other process has used");
});

test("a start refuses a damaged file, and says why", async () => {
  const { config, files, keep } = await server();
  const stop = keep();
  await until(async () => (await files("sealed")).length === 1);
  await stop();
  const [path = ""] = await files("sealed");
  await writeFile(path, (await readFile(path)).subarray(0, -1));
  await expect(
    openStandIn({ config, databaseUrl: "postgres://nobody@127.0.0.1:1/none" }, () => true),
  ).rejects.toThrow("is damaged");
});
