/** The snapshot that a server keeps for a start without its database, and what it hears of changes. */
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { deleteKey, issueKey, setAccountLimits, updateKey } from "@/server/access";
import { stopwatch } from "@/server/base/clock";
import { loadConfig } from "@/server/base/config";
import { createLog } from "@/server/base/log";
import { loadSecrets } from "@/server/base/secrets";
import { newReserveHolder, openDraft, publishDraft, withdrawReserves, writeDraft } from "@/server/billing";
import { createJournal } from "@/server/billing/journal/journal";
import { awayFor, markChanges } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { keepSnapshot } from "@/server/process/keep-snapshot";
import { createRuntime } from "@/server/runtime/runtime";
import { markOf, readSnapshot } from "@/server/runtime/snapshot";
import { openStandIn } from "@/server/runtime/stand-in";
import { commandsOn } from "@/tests/support/command";
import { addCustomer, money } from "@/tests/support/customer";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { deliveredCharge } from "@/tests/support/delivered-charge";
import { serverEnvironment } from "@/tests/support/gateway";
import { expectRefused } from "@/tests/support/refusal";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { until } from "@/tests/support/until";

const home = temporaryDirectory();

/** A process of a server, which starts and stops its keeper. Its connections to the database, but not `db`, use `link`. */
async function server(env: Record<string, string> = {}) {
  const databaseUrl = await freshDatabase();
  const db = openFresh(databaseUrl);
  const dataDir = await mkdtemp(join(home, "data-"));
  const config = loadConfig({
    ...{ ...serverEnvironment(databaseUrl), CHARGES: "file", SNAPSHOT_MINUTES: "5", OUTAGE_ALLOWANCE: "50" },
    ...{ TOLLGATE_DATA_DIR: dataDir, ...env },
  });
  const link = await linkTo(databaseUrl);
  const runtime = await createRuntime({ config, databaseUrl: link.url });
  const customer = await addCustomer(db, config.KEY_PEPPER ?? "", { name: "customer", quota: "1000" });
  onTestFinished(async () => {
    await runtime.close();
    await link.close();
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
  /** Of the keeper. */
  const time = { now: stopwatch(), isStill: false };
  const timers = { ...runtime.timers, stopwatch: () => (time.isStill ? time.now : stopwatch()) };
  const keep = () => keepSnapshot({ ...runtime, timers });
  return { db, link, config, runtime, customer, directory, files, read, time, keep };
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

test("metrics and doctor say whether a start could do without the database now, and how old its file is", async () => {
  const { config, runtime, directory, files, keep } = await server();
  const variables = { CHARGES: "file", SNAPSHOT_MINUTES: "5", TOLLGATE_DATA_DIR: config.TOLLGATE_DATA_DIR };
  const { doctorOn } = commandsOn(() => config.DATABASE_URL ?? "", variables);
  const shown = async () => {
    const text = await runtime.metrics.registry.metrics();
    const [, state] = /^tollgate_snapshot_file\{state="(\w+)"\} 1$/m.exec(text) ?? [];
    const [, age] = /^tollgate_snapshot_file_age_seconds (\d+)/m.exec(text) ?? [];
    return [state, Number(age)];
  };
  expect(await shown()).toEqual(["missing", 0]);
  expect(await doctorOn("snapshot")).toMatchObject({ ok: false });
  const stop = keep();
  await until(async () => (await files("sealed")).length === 1);
  await stop();
  const [path = ""] = await files("sealed");
  await utimes(path, new Date(), new Date(Date.now() - 70_000));
  expect(await shown()).toEqual(["usable", expect.toSatisfy((age: number) => age >= 70 && age < 100)]);
  expect(await doctorOn("snapshot")).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/ 7\d s ago$/),
  });
  await utimes(path, new Date(), new Date(Date.now() - 301_000));
  expect(await shown()).toEqual(["missing", 0]);
  await utimes(path, new Date(), new Date());
  withdrawReserves(directory);
  expect(await shown()).toEqual(["missing", 0]);
  const keptAgain = keep();
  await until(async () => (await files("sealed")).length === 1);
  await keptAgain();
  expect(await shown()).toEqual(["usable", expect.any(Number)]);
  // The disk has lost the folder.
  await rename(directory, `${directory}-lost`);
  await writeFile(directory, "");
  expect(await shown()).toEqual(["missing", 0]);
  await rm(directory);
  await rename(`${directory}-lost`, directory);
  const useless = commandsOn(() => config.DATABASE_URL ?? "", { ...variables, CHARGES: "database" });
  expect(await useless.doctorOn("snapshot")).toMatchObject({ ok: false });
});

test("a connection that comes back withdraws the file, because a change may have been missed", async () => {
  const { db, link, customer, files, keep } = await server();
  const stop = keep();
  await until(async () => (await files("sealed")).length === 1);
  await stop();
  link.cut();
  await deleteKey(db, { accountId: customer.accountId, keyId: customer.keyId });
  expect(await files("withdrawn")).toEqual([]);
  link.mend();
  await until(async () => (await files("withdrawn")).length === 1);
});

test("a process that keeps no snapshot withdraws what another server has left, at its start and with each change", async () => {
  const { db, config, customer, directory, files } = await server({ SNAPSHOT_MINUTES: "0" });
  const publish = async () => {
    const draft = await openDraft(directory, { holder: newReserveHolder(), turn: 1 });
    await publishDraft(directory, draft, (await writeDraft(directory, draft, Buffer.from(""))) ?? "");
  };
  await publish();
  const second = await createRuntime({ config, databaseUrl: config.DATABASE_URL ?? "" });
  onTestFinished(() => second.close());
  await until(async () => (await files("withdrawn")).length === 1);
  await publish();
  await deleteKey(db, { accountId: customer.accountId, keyId: customer.keyId });
  await until(async () => (await files("withdrawn")).length === 2);
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

test("a process that hears a change late leaves the newer file, and withdraws those from before the change", async () => {
  const { db, customer, directory, files } = await server();
  const holder = newReserveHolder();
  const publish = async (turn: number) => {
    const draft = await openDraft(directory, { holder, turn });
    await publishDraft(directory, draft, (await writeDraft(directory, draft, Buffer.from(""))) ?? "");
  };
  const change = () => setAccountLimits(db, { accountId: customer.accountId, outageAllowance: money("1") });
  await markChanges(db, markOf({ holder, turn: 1 }));
  await publish(1);
  // This one's mark is still on its way.
  await publish(2);
  await change();
  await until(async () => (await files("withdrawn")).length === 1);
  expect((await files("sealed")).map((path) => path.includes(`${holder}.2.`))).toEqual([true]);
  await markChanges(db, markOf({ holder, turn: 2 }));
  await change();
  await until(async () => (await files("sealed")).length === 0);
});

test("the keeper soon replaces a file that is gone without a change", async () => {
  const { directory, files, time, keep } = await server();
  // No file becomes too old.
  time.isStill = true;
  const stop = keep();
  for (let round = 0; round < 2; round++) {
    await until(async () => (await files("sealed")).length === 1);
    withdrawReserves(directory);
  }
  await until(async () => (await files("sealed")).length === 1);
  await stop();
});

test("a keeper that fails tries again less and less often, and recovers", async () => {
  const { db, directory, files, time, keep } = await server();
  let passes = 0;
  const heard = await sqlOf(db).listen("tollgate_changes", (payload) => {
    passes += payload.startsWith("mark reserve_") ? 1 : 0;
  });
  await sqlOf(db)`alter table channel_models rename to away`;
  time.isStill = true;
  const stop = keep();
  for (const [index, waitMs] of [2_000, 4_000, 8_000].entries()) {
    await until(() => passes === index + 1);
    time.now += waitMs - 1;
    // The keeper looks once a second.
    await sleep(2_500);
    expect(passes).toBe(index + 1);
    time.now += 1;
  }
  await until(() => passes === 4);
  await sqlOf(db)`alter table away rename to channel_models`;
  time.now += 16_000;
  await until(async () => (await files("sealed")).length === 1);
  await stop();
  await heard.unlisten();
  expect((await readdir(directory)).filter((name) => name.endsWith(".draft"))).toEqual([]);
});

test("a process that stands still after it has read a snapshot's age serves for no longer", () => {
  const served = (beganMsAgo: number) =>
    awayFor({ longestMs: 60_000, beganAt: stopwatch() - beganMsAgo }, () => true).mayServe();
  expect([served(0), served(59_000), served(60_001)]).toEqual([true, true, false]);
});

/** A process of another server has a part of the account's allowance: it is one that calls. */
const call = (db: Awaited<ReturnType<typeof server>>["db"], accountId: string) =>
  sqlOf(db)`
    insert into outage_parts (account_id, process_id, amount, turn, expires_at)
    values (${accountId}, 'proc_other', 0, 1, now() + interval '1 hour')`;

test("a start without the database sells a tenth of the allowance that applies now, and refuses what it cannot trust", async () => {
  const { db, config, customer, directory, files, read, keep } = await server();
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
  // What the journal has of this reserve is sold already, whoever sold it.
  const journal = createJournal({ directory, log: createLog("silent") });
  onTestFinished(() => journal.close());
  const { charge } = deliveredCharge("");
  await journal.append(
    deliveredCharge("req_before", {
      ...{ accountId, part: (await read()).reserve.holder },
      charge: { ...charge, amount: money("0.5") },
    }),
  );
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
  await expectRefused(hold("1.6"), "unavailable");
  expect(await hold("1.5")).toMatchObject({ amount: money("1.5") });
  await expectRefused(hold("0.1"), "unavailable");
  await expect(startWith({})).rejects.toThrow("no other start has used");
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
  expect(await files("sealed")).toEqual([path]);
});
