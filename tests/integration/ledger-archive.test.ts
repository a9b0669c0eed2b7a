import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import {
  archiveLines,
  type Closing,
  closeMonth,
  dropArchived,
  findArchived,
  latestClosings,
  listStatement,
  makeLedgerMonths,
  setMonthlyQuota,
  topUp,
  verifyChain,
} from "@/server/billing";
import { endHolds } from "@/server/billing/holds/end-calls";
import { type Database, patient, transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { type BillingReplica, openBillingRoom } from "@/tests/support/billing-room";
import { commandsOn } from "@/tests/support/command";
import { chargeOf } from "@/tests/support/ledger";
import { perFile, temporaryDirectory } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";

const OPEN = "2026-11";

const home = temporaryDirectory();
const room = perFile(() => openBillingRoom({ leaseSeconds: 10 }));
let replica: BillingReplica;
let other: Database;
let directory: string;
let serial = 0;
/** Each test has its own month, and an account that has spent in it. */
let period: string;
let accountId: AccountId;
const { run, json } = commandsOn(() => room.databaseUrl);
const db = () => room.ledger.db;
const sql = () => sqlOf(db());

beforeAll(() => {
  replica = room.replica();
  other = room.ledger.databaseOf(0);
  room.onClose(() => other.close());
});

beforeEach(async () => {
  serial += 1;
  period = `2025-${String(serial).padStart(2, "0")}`;
  room.clock.now = new Date(`${period}-15T12:00:00Z`);
  directory = await mkdtemp(join(home, "archive-"));
  accountId = await room.account(1_000n);
  await replica.pay(accountId, 40n);
  await makeLedgerMonths(db(), period);
});

const archiveWith = (...more: string[]) => [
  ...["ledger", "archive", "--month", period],
  ...["--to", directory, ...more],
];
const archive = (...flags: string[]) => json<{ file: string; dropped: boolean }>(...archiveWith(...flags));

async function close(): Promise<Closing> {
  const closing = await closeMonth(db(), { period, openPeriod: OPEN });
  if (typeof closing === "string") {
    throw new Error(`not closed: ${closing}`);
  }
  return closing;
}

const drop = ({ period, number }: Closing) =>
  transaction(patient(db()), (tx) => dropArchived(tx, { period, number, archive: "0".repeat(64) }));

/** Whether `count` statements of this database wait for a lock. */
const areWaiting = async (count: number) => (await room.ledger.waiters()) >= count;

test("a month keeps its sums when its entries are archived while another replica closes it", async () => {
  await setMonthlyQuota(db(), { accountId, period, quota: nanos(1_025n) });
  const closing = await close();
  expect(await findArchived(db(), { accountId, period })).toBeNull();
  let closed: Promise<unknown> | undefined;
  let dropped: ReturnType<typeof drop> | undefined;
  await sql().begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtext('closing months of the ledger'))`;
    closed = closeMonth(other, { period, openPeriod: OPEN });
    await until(() => areWaiting(1));
    dropped = drop(closing);
    await Promise.race([dropped, until(() => areWaiting(2))]);
  });
  await Promise.all([closed, dropped]);
  expect(await closeMonth(other, { period, openPeriod: OPEN })).toBe("archived");
  expect(await findArchived(db(), { accountId, period })).toEqual({ adjusted: 25n });
  expect(await room.ledger.verify([accountId])).toEqual([]);
  expect(await verifyChain(db())).toEqual([]);
});

test("a query over all months is answered while one of them is dropped", async () => {
  const closing = await close();
  let dropped: ReturnType<typeof drop> | undefined;
  const read = sqlOf(other).begin(async (transaction) => {
    await transaction`lock table only ledger_entries in access share mode`;
    dropped = drop(closing);
    await until(() => areWaiting(1));
    return await transaction`select count(*) from ledger_entries`;
  });
  expect(await read).toHaveLength(1);
  expect(await dropped).toEqual({ entries: closing.entries });
});

test("a verification sees one closing of a month or the next, and never neither", async () => {
  await close();
  let isDone = false;
  const checks = (async () => {
    while (!isDone) {
      expect(await verifyChain(other)).toEqual([]);
    }
  })();
  for (let count = 0; count < 20; count++) {
    await replica.pay(accountId, 1n);
    await close();
  }
  isDone = true;
  await checks;
});

test("the audit log records who drops a month's entries, with their number and the archive's sum", async () => {
  const recorded = () => sql()`
    select actor, "before", "after" from audit_entries where action = 'ledger.archive' and target_id = ${period}`;
  await archive();
  expect(await recorded()).toEqual([]);
  const { sha256 } = await json<{ sha256: string }>(...archiveWith("--drop"));
  expect(await recorded()).toMatchObject([{ actor: "command", before: { entries: 2 }, after: { sha256 } }]);
});

test("a repair leaves the hours of an archived month as they are, and corrects its other sums", async () => {
  await archive("--drop");
  const hours = () => sql()`select hour, amount, calls from spend_hours where account_id = ${accountId}`;
  await sql()`update spend_hours set amount = amount + 1 where account_id = ${accountId}`;
  const before = await room.ledger.months([accountId]);
  await sql()`delete from account_months where account_id = ${accountId}`;
  const hoursBefore = await hours();
  const repaired = await run("ledger", "repair", "--yes", "--month", period);
  expect(repaired).toMatchObject({ code: 1 });
  expect(repaired.err).toContain("their entries are archived");
  expect(await hours()).toEqual(hoursBefore);
  expect(await room.ledger.months([accountId])).toEqual(before);
  await sql()`update spend_hours set amount = amount - 1 where account_id = ${accountId}`;
  expect(await room.ledger.verify([accountId])).toEqual([]);
});

test("a month that is not over or not in the ledger is neither closed nor archived", async () => {
  const now = new Date().toISOString().slice(0, 7);
  await makeLedgerMonths(db(), now);
  for (const month of [now, "2031-01", "1999-12"]) {
    expect(
      await run("ledger", "archive", "--month", month, "--to", directory, "--drop"),
      month,
    ).toMatchObject({
      code: 1,
    });
    expect((await latestClosings(db())).has(month), month).toBe(false);
  }
  expect(await readdir(directory)).toEqual([]);
});

test("an archive replaces no file: an identical one is accepted, and a different one keeps the entries in the database", async () => {
  const { file } = await archive();
  const bytes = await readFile(file);
  await writeFile(file, "another's");
  expect(await run(...archiveWith("--drop"))).toMatchObject({ code: 1 });
  expect(await readFile(file, "utf8")).toBe("another's");
  await writeFile(file, bytes);
  // The leftover of a run that was killed.
  await writeFile(`${file}.new`, "half");
  expect(await archive("--drop")).toMatchObject({ file, dropped: true });
  expect(await readFile(file)).toEqual(bytes);
});

test("an archive has all of a large month, and keeps no statement waiting while it is written", async () => {
  await topUp(db(), { accountId, period, amount: nanos(2_500n), reason: "test" });
  await sql()`
    insert into ledger_entries (id, account_id, period, kind, amount)
    select 'ent_' || number, account_id, period, kind, 1
    from ledger_entries, generate_series(1, 2500) as number
    where account_id = ${accountId} and kind = 'topup'`;
  await sql()`delete from ledger_entries where account_id = ${accountId} and kind = 'topup' and note is not null`;
  const closing = await close();
  const lines = archiveLines(other, closing);
  const ids = new Set<string>();
  for await (const line of lines) {
    if (ids.size === 10) {
      const busy = await sql()`
        select query from pg_stat_activity
        where datname = current_database() and state <> 'idle' and query like '%to_jsonb(entry)%'
          and pid <> pg_backend_pid()`;
      expect([...busy]).toEqual([]);
    }
    ids.add(line);
  }
  // The entries and the archive's first line.
  expect(ids.size).toBe(closing.entries + 1);
});

test("an archive keeps whatever text its entries have", async () => {
  const reason = 'a "b" | c\n\r\t\\ \u2028 \u2029 é 中 😀 \u0085';
  await topUp(db(), { accountId, period, amount: nanos(10n ** 17n), reason });
  await sql()`update ledger_entries set model_id = ${reason} where account_id = ${accountId} and kind = 'capture'`;
  await sql()`update spend_hours set model_id = ${reason} where account_id = ${accountId}`;
  const { file } = await archive();
  expect(await run("ledger", "verify", "--archive", file)).toMatchObject({ code: 0, err: "" });
});

test("a statement refuses an invalid cursor, and a cursor of another time finds nothing", async () => {
  const page = (cursor: string) => listStatement(db(), { accountId, period }, { cursor, limit: 5 });
  for (const cursor of ["", ".", "x", "1.", ".req_1", "1.req 1", "999999999999999.req_1"]) {
    await expect(page(cursor), cursor).rejects.toMatchObject({ reason: "pageUnknown" });
  }
  for (const cursor of ["0.req_1", "1.req_1_lost"]) {
    expect(await page(cursor), cursor).toEqual({ rows: [], nextCursor: null });
  }
});

test("a charge that may be in an archive is not recorded a second time", async () => {
  const held = await replica.billing.hold({ ...room.payer(accountId), amount: nanos(50n) });
  const charge = chargeOf(30n);
  await replica.billing.capture(held, charge);
  const kept = { ...held, charge: { ...charge, keyId: held.keyId }, late: "missing" } as const;
  expect(await endHolds(db(), [kept])).toEqual(["capture"]);
  await archive("--drop");
  expect(await endHolds(db(), [kept])).toEqual(["gone"]);
  expect((await room.balance(accountId, period)).used).toBe(70n);
});
