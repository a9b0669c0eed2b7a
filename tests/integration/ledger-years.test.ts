import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import {
  closeMonth,
  closeOldMonths,
  exportStatement,
  latestClosings,
  listEntries,
  makeLedgerMonths,
  repairMonth,
  verifyChain,
  verifyLedger,
  verifySlices,
} from "@/server/billing";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { listPartitions } from "@/server/db/partitions";
import type { AccountId } from "@/server/domain/ids";
import { type BillingReplica, openBillingRoom } from "@/tests/support/billing-room";
import { commandsOn } from "@/tests/support/command";
import { openFresh } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { chargeOf } from "@/tests/support/ledger";
import { perFile, temporaryDirectory } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";

const MAY = "2026-05";
const AUGUST = "2026-08";

const directory = temporaryDirectory();
const room = perFile(() => openBillingRoom({ leaseSeconds: 60 }));
let replica: BillingReplica;
beforeAll(() => {
  replica = room.replica();
});
const { run, json } = commandsOn(() => room.databaseUrl);
const db = () => room.ledger.db;
const sql = () => sqlOf(db());
const close = () => closeMonth(db(), { period: MAY, openPeriod: AUGUST });

/** An account that has spent in May with its only key, under a cap. */
async function customer(amounts = [40n]): Promise<AccountId> {
  room.clock.now = new Date("2026-05-15T12:00:00Z");
  const accountId = await room.account(1_000n);
  for (const amount of amounts) {
    await replica.pay(accountId, amount);
  }
  return accountId;
}

const partitionOf = async (accountId: AccountId) =>
  (
    await sql()<{ name: string }[]>`
      select distinct regexp_replace(tableoid::regclass::text, '_\\d{6,}$', '') as name -- on a distributed database its shard
      from ledger_entries where account_id = ${accountId} order by 1`
  ).map(({ name }) => name);

describe("a month's partition", () => {
  test("is made by several replicas at once while calls are charged in it, and no charge is lost or refused", async () => {
    const accountId = await customer();
    expect(await partitionOf(accountId)).toEqual(["ledger_entries_rest"]);
    let isMade = false;
    const calls = Array.from({ length: 6 }, async () => {
      let count = 0;
      while (!isMade || count < 3) {
        await replica.pay(accountId, 1n);
        count += 1;
      }
      return count;
    });
    await Promise.all([1, 2, 3].map(() => makeLedgerMonths(db(), MAY)));
    isMade = true;
    const charged = (await Promise.all(calls)).reduce((sum, count) => sum + count, 0);
    expect(await partitionOf(accountId)).toEqual(["ledger_entries_2026_05"]);
    expect(await listPartitions(db(), "ledger_entries")).toEqual(
      expect.arrayContaining([MAY, "2026-06", "2026-07"]),
    );
    expect((await room.balance(accountId)).used).toBe(40n + BigInt(charged));
    expect(await room.ledger.verify([accountId])).toEqual([]);
  });
});

/**
 * Starts `acts` while a month gets its partition and its rows have moved. The partition continues when each of them has
 * ended or waits for it. Returns the results of `acts`.
 */
async function whileMade<const Acts extends (() => Promise<unknown>)[]>(month: string, acts: Acts) {
  await sql().unsafe(`
    create function hesitate() returns event_trigger language plpgsql as $$ begin
      while not pg_try_advisory_xact_lock(28) loop perform pg_sleep(0.01); end loop;
    end $$;
    create event trigger hesitating on ddl_command_end when tag in ('ALTER TABLE') execute function hesitate()`);
  const countWaiting = async (isGranted: boolean) =>
    (
      await sql()`
        select distinct pid from pg_locks join pg_stat_activity using (pid)
        where granted = ${isGranted} and datname = current_database()
          and (not ${isGranted} or wait_event = 'PgSleep')`
    ).length;
  const other = openFresh(room.databaseUrl);
  try {
    const { made, begun } = await sql().begin(async (gate) => {
      await gate`select pg_advisory_xact_lock(28)`;
      const making = makeLedgerMonths(other, month);
      await until(async () => (await countWaiting(true)) > 0);
      let ended = 0;
      const acting = acts.map((act) => act().finally(() => ended++));
      await until(async () => ended + (await countWaiting(false)) >= acts.length);
      return { made: making, begun: Promise.all(acting) };
    });
    await made;
    return (await begun) as { [Index in keyof Acts]: Awaited<ReturnType<Acts[Index]>> };
  } finally {
    await sql().unsafe("drop event trigger hesitating; drop function hesitate");
    await other.close();
  }
}

describe("while a month gets its partition", () => {
  test("a charge goes into the partition", async () => {
    room.clock.now = new Date(`${AUGUST}-15T12:00:00Z`);
    const accountId = await room.account(1_000n);
    const held = await replica.billing.hold({ ...room.payer(accountId), amount: nanos(50n) });
    const charge = chargeOf(40n);
    await whileMade(AUGUST, [() => replica.billing.capture(held, charge)]);
    expect(await partitionOf(accountId)).toEqual(["ledger_entries_2026_08"]);
    expect(await room.ledger.verify([accountId])).toEqual([]);
  });

  test("neither verification nor repair finds drift in it, and its earlier entries are visible", async () => {
    // The migrations make the months from now on, and two more.
    const month = "2040-02";
    room.clock.now = new Date(`${month}-15T12:00:00Z`);
    const accountId = await room.account(1_000n);
    await replica.pay(accountId, 40n);
    expect(await partitionOf(accountId)).toEqual(["ledger_entries_rest"]);
    const [drift, repair, entries] = await whileMade(month, [
      () => verifyLedger(db(), { accountIds: [accountId], periods: [month] }),
      () => transaction(db(), (tx) => repairMonth(tx, { accountId, period: month })),
      () => listEntries(db(), { accountId, limit: 10 }),
    ]);
    expect(drift).toEqual([]);
    expect(repair).toEqual({ mended: [], left: [] });
    expect(entries.map(({ kind }) => kind)).toEqual(["capture", "grant"]);
    expect((await room.balance(accountId, month)).used).toBe(40n);
  });
});

describe("a month that is over", () => {
  test("is not closed while money is frozen in it, nor while it has drift", async () => {
    const accountId = await customer();
    const open = await replica.billing.hold({ ...room.payer(accountId), amount: nanos(5n) });
    expect(await close()).toBe("open");
    replica.billing.release(open, "test");
    await eventually(async () => (await room.balance(accountId)).frozen).toBe(0n);
    await sql()`update account_months set used = used + 1 where account_id = ${accountId}`;
    expect(await close()).toBe("drift");
    await sql()`update account_months set used = used - 1 where account_id = ${accountId}`;
    expect(await close()).toMatchObject({ number: 1, period: MAY });
    // Nothing has changed since then.
    expect(await close()).toMatchObject({ number: 1 });
  });

  test("is verified by its closed sums, without a look at its entries", async () => {
    const accountId = await customer();
    await close();
    const closedMonths = [MAY];
    await sql()`update ledger_entries set amount = amount + 1 where account_id = ${accountId} and kind = 'capture'`;
    for await (const { drift, isReopened } of verifySlices(db(), { periods: [MAY], closedMonths })) {
      expect({ drift, isReopened }).toEqual({ drift: [], isReopened: false });
    }
    expect(await run("ledger", "verify")).toMatchObject({ code: 0 });
    expect(await run("ledger", "verify", "--entries")).toMatchObject({ code: 1 });
    expect(await run("ledger", "verify", "--month", MAY)).toMatchObject({ code: 1 });
    await sql()`update ledger_entries set amount = amount - 1 where account_id = ${accountId} and kind = 'capture'`;
    await sql()`update account_months set used = used + 1 where account_id = ${accountId}`;
    expect(await run("ledger", "verify")).toMatchObject({ code: 1 });
    await sql()`update account_months set used = used - 1 where account_id = ${accountId}`;
  });

  test("is closed again, with a link of its own, after a late charge", async () => {
    const accountId = await customer();
    const before = await close();
    await replica.pay(accountId, 7n);
    expect(await run("ledger", "verify")).toMatchObject({ code: 0 });
    expect(await closeOldMonths(db(), AUGUST)).toEqual([]);
    const after = (await latestClosings(db())).get(MAY);
    expect(after?.number).toBeGreaterThan((before as { number: number }).number);
    expect(after?.entries).toBe((before as { entries: number }).entries + 1);
    expect(await verifyChain(db())).toEqual([]);
    // July is too recent.
    expect([...(await latestClosings(db())).keys()].sort()).toEqual([MAY, "2026-06"]);
  });

  test.each<[string, found: string, change: (by: number) => string]>([
    ["a sum", "sums", (by) => `ledger_checkpoints set amount = amount + ${by} where kind = 'capture'`],
    ["a link", "link", (by) => `ledger_closings set entries = entries + ${by} where number = 1`],
    [
      "a missing link",
      "link",
      (by) => `ledger_closings set number = number + ${by * 1_000} where number in (1, 1001)`,
    ],
  ])("cannot be changed unnoticed: %s", async (_what, expected, change) => {
    await customer();
    await close();
    await sql().unsafe(`update ${change(1)}`);
    expect((await verifyChain(db())).map(({ what }) => what)).toContain(expected);
    expect(await run("ledger", "verify")).toMatchObject({ code: 1 });
    await sql().unsafe(`update ${change(-1)}`);
    expect(await verifyChain(db())).toEqual([]);
  });
});

describe("an archive", () => {
  type Archived = { file: string; entries: number; dropped: boolean };
  const archive = (...flags: string[]) =>
    json<Archived>("ledger", "archive", "--month", MAY, "--to", directory, ...flags);

  test("has every entry of its month, and its verification finds a changed, omitted or foreign entry", async () => {
    await customer([40n, 30n]);
    const { file, entries } = await archive();
    const lines = gunzipSync(await readFile(file))
      .toString()
      .trimEnd()
      .split("\n");
    const [row] = await sql()`select count(*)::int as count from ledger_entries where period = ${MAY}`;
    expect([lines.length - 1, entries]).toEqual([row?.count, row?.count]);
    expect(await json("ledger", "verify", "--archive", file)).toEqual({ ok: true, archive: file });
    const [head = "", first = "", ...others] = lines;
    const changed = first.replace(/"amount": "(\d+)"/, '"amount": "1$1"');
    expect(changed).not.toBe(first);
    for (const [name, text] of [
      ["changed", [head, changed, ...others]],
      ["left-out", [head, ...others]],
      ["another's", [head.replace(/"digest":"./, '"digest":"x'), first, ...others]],
    ] as const) {
      const path = join(directory, `${name}.jsonl.gz`);
      await writeFile(path, gzipSync(text.join("\n")));
      expect(await run("ledger", "verify", "--archive", path), name).toMatchObject({ code: 1 });
    }
    await writeFile(join(directory, "cut.jsonl.gz"), (await readFile(file)).subarray(0, -20));
    for (const path of ["cut.jsonl.gz", "nothing.jsonl.gz"]) {
      expect(await run("ledger", "verify", "--archive", join(directory, path)), path).toMatchObject({
        code: 2,
      });
    }
  });

  test("removes the entries from the database, which goes on verifying their sums, late charges included", async () => {
    const accountId = await customer();
    const { dropped, file } = await archive("--drop");
    expect(dropped).toBe(true);
    expect(await partitionOf(accountId)).toEqual([]);
    expect(await listPartitions(db(), "ledger_entries")).not.toContain(MAY);
    for (const flags of [[], ["--entries"], ["--month", MAY], ["--archive", file]]) {
      expect(await run("ledger", "verify", ...flags), flags.join(" ")).toMatchObject({ code: 0 });
    }
    await replica.pay(accountId, 3n);
    expect(await partitionOf(accountId)).toEqual(["ledger_entries_rest"]);
    expect(await run("ledger", "verify", "--entries")).toMatchObject({ code: 0 });
    await sql()`update account_months set used = used + 1 where account_id = ${accountId}`;
    expect(await run("ledger", "verify")).toMatchObject({ code: 1 });
    await json("ledger", "repair", "--yes");
    expect(await run("ledger", "verify")).toMatchObject({ code: 0 });
    expect(await run("ledger", "archive", "--month", MAY, "--to", directory)).toMatchObject({ code: 1 });
    expect(await closeOldMonths(db(), AUGUST)).toEqual([]);
    const left: string[] = [];
    for await (const batch of exportStatement(db(), { accountId, period: MAY })) {
      left.push(...batch.map(({ kind }) => kind));
    }
    expect(left).toEqual(["capture"]);
  });
});
