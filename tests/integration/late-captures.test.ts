import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "@/server/access";
import {
  type Billing,
  countIncidents,
  createBilling,
  findCharges,
  getBalance,
  type Hold,
  spendByDay,
} from "@/server/billing";
import { openDatabase } from "@/server/db";
import { createLog } from "@/server/log";
import { freshDatabase } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { chargeOf, type Ledger, openLedger } from "@/tests/support/ledger";
import { waitFor } from "@/tests/support/process";

/** Leases are renewed, and kept charges posted, four times in it; a capture is tried for three quarters of it. */
const LEASE_SECONDS = 2;

let databaseUrl: string;
let ledger: Ledger;
let now = new Date("2026-05-15T12:00:00Z");
let serial = 0;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  databaseUrl = await freshDatabase();
  ledger = openLedger(databaseUrl);
  await ledger.outlastStart(LEASE_SECONDS);
});
afterAll(async () => {
  expect(await ledger.verify()).toEqual([]);
  await Promise.all(closers.map((close) => close()));
  await ledger.db.close();
});

type Replica = { billing: Billing; incidents: string[]; waiting: () => number };

function replica(options: { db?: Ledger["db"]; arrearsDirectory?: string } = {}): Replica {
  const incidents: string[] = [];
  let waiting = 0;
  const billing = createBilling({
    db: ledger.db,
    clock: () => now,
    timeZone: "UTC",
    log: createLog("silent"),
    leaseSeconds: LEASE_SECONDS,
    observe: (incident) => incidents.push(incident),
    onArrears: (count) => {
      waiting = count;
    },
    ...options,
  });
  closers.push(() => billing.close({ patienceMs: 0 }));
  return { billing, incidents, waiting: () => waiting };
}

const account = async (quota: bigint) =>
  (await createAccount(ledger.db.orm, { name: `late ${serial++}`, monthlyQuotaNanos: quota })).id;
const payer = (accountId: string, keyCap: bigint | null = null) => ({
  requestId: `req_late_${serial++}`,
  accountId,
  keyId: `key_of_${accountId}`,
  keyCap,
});
const balance = (accountId: string, period = "2026-05") => getBalance(ledger.db.orm, { accountId, period });
const kindsOf = async (requestId: string) =>
  (await ledger.entriesOf(requestId)).map(({ kind, held, note }) => [kind, held, note]);

/** What becomes of a call whose process stands still for longer than a lease. */
async function lose(requestId: string, by: Billing): Promise<void> {
  await waitFor(async () => {
    // Its lease may be renewed before the sweeper comes.
    await ledger.expire([requestId]);
    return (await by.sweep()) > 0;
  });
}

describe("a call whose process stood still for longer than its lease", () => {
  test("takes its money again, and is charged as if nothing had been", async () => {
    const [slow, other] = [replica(), replica()];
    const accountId = await account(1_000n);
    const hold = await slow.billing.hold({ ...payer(accountId, 500n), amount: 100n });
    await lose(hold.requestId, other.billing);
    await waitFor(async () => (await ledger.openHolds([hold.requestId])) === 1);
    expect(await balance(accountId)).toMatchObject({ frozen: 100n });
    expect(hold.lost.aborted).toBe(false);
    await slow.billing.capture(hold, chargeOf(40n, "upstream", `key_of_${accountId}`), { isDelivered: true });
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect(await kindsOf(hold.requestId)).toEqual([
      ["release", "100", "expired"],
      ["capture", "100", null],
    ]);
    expect(slow.incidents).toEqual(["hold_regained"]);
    expect(await ledger.verify()).toEqual([]);
  });

  test("however often it does: one release, one capture", async () => {
    const [slow, other] = [replica(), replica()];
    const accountId = await account(1_000n);
    const hold = await slow.billing.hold({ ...payer(accountId), amount: 100n });
    for (let round = 0; round < 3; round++) {
      await lose(hold.requestId, other.billing);
      await waitFor(async () => (await ledger.openHolds([hold.requestId])) === 1);
      expect(await balance(accountId)).toMatchObject({ frozen: 100n });
    }
    expect(slow.incidents).toEqual(Array(3).fill("hold_regained"));
    slow.billing.release(hold, "upstreams_unavailable");
    await waitFor(async () => (await balance(accountId)).frozen === 0n);
    expect(await kindsOf(hold.requestId)).toEqual([["release", "100", "expired"]]);
  });

  test("is told when its money is spent, and pays late for what was delivered", async () => {
    const [slow, other] = [replica(), replica()];
    const accountId = await account(100n);
    const hold = await slow.billing.hold({ ...payer(accountId), amount: 100n });
    const next: Hold[] = [];
    await waitFor(async () => {
      await ledger.expire([hold.requestId]);
      const spent = other.billing.hold({ ...payer(accountId), amount: 100n });
      return await spent.then(
        (taken) => next.push(taken) > 0,
        () => false,
      );
    });
    await waitFor(() => hold.lost.aborted);
    expect(hold.lost.reason).toMatchObject({ kind: "quotaExhausted" });
    await slow.billing.capture(hold, chargeOf(70n), { isDelivered: true });
    await Promise.all(next.map((each) => other.billing.capture(each, chargeOf(100n))));
    expect(await balance(accountId)).toMatchObject({ used: 170n, frozen: 0n, available: -70n });
    expect(await kindsOf(hold.requestId)).toEqual([
      ["release", "100", "expired"],
      ["capture", "0", "late"],
    ]);
    expect(slow.incidents.slice(-2)).toEqual(["hold_refused", "late"]);
    expect(await ledger.verify()).toEqual([]);
  });

  test("pays in the month in which it began, also under its key's cap and in the sums by the hour", async () => {
    const [slow, other] = [replica(), replica()];
    const accountId = await account(1_000n);
    const want = { ...payer(accountId, 100n), amount: 60n };
    const hold = await slow.billing.hold(want);
    now = new Date("2026-06-01T00:00:00Z");
    await lose(hold.requestId, other.billing);
    await slow.billing.capture(hold, chargeOf(50n, "upstream", want.keyId), { isDelivered: true });
    expect(await balance(accountId)).toMatchObject({ used: 50n, frozen: 0n });
    expect(await balance(accountId, "2026-06")).toMatchObject({ used: 0n });
    expect(await ledger.keyMonths([want.keyId])).toEqual([
      { keyId: want.keyId, period: "2026-05", used: 50n, frozen: 0n },
    ]);
    const days = await spendByDay(ledger.db.sql, { accountId, period: "2026-05", timeZone: "UTC" });
    expect(days.map(({ calls, amount }) => [calls, amount])).toEqual([[1, 50n]]);
    now = new Date("2026-05-15T12:00:00Z");
    // The key has 50 of its 100 left, as if the charge had come in time.
    await expect(other.billing.hold({ ...payer(accountId, 100n), amount: 51n })).rejects.toMatchObject({
      kind: "quotaExhausted",
    });
    expect(await ledger.verify()).toEqual([]);
  });

  test("shows its charge to whoever asks what became of it, not the release", async () => {
    const [slow, other] = [replica(), replica()];
    const accountId = await account(1_000n);
    const hold = await slow.billing.hold({ ...payer(accountId), amount: 100n });
    const before = await countIncidents(ledger.db.sql, new Date(0));
    await lose(hold.requestId, other.billing);
    expect(await countIncidents(ledger.db.sql, new Date(0))).toEqual({
      ...before,
      uncharged: before.uncharged + 1,
    });
    await slow.billing.capture(hold, chargeOf(40n), { isDelivered: true });
    const charges = await findCharges(ledger.db.sql, [hold.requestId], accountId);
    expect(charges.get(hold.requestId)).toMatchObject({ kind: "capture", amount: "40", note: "late" });
    expect(await countIncidents(ledger.db.sql, new Date(0))).toEqual({ ...before, late: before.late + 1 });
  });

  test("is not frozen again once it has ended, by whomever", async () => {
    const [owner, other] = [replica(), replica()];
    const accountId = await account(1_000n);
    const hold = await owner.billing.hold({ ...payer(accountId), amount: 100n });
    await other.billing.capture(hold, chargeOf(40n));
    await new Promise((resolve) => setTimeout(resolve, LEASE_SECONDS * 600));
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });
});

/** A call whose process is gone for good, and its hold with it; and who may charge it. */
async function lostForGood() {
  const dead = replica();
  const others: [Replica, Replica] = [replica(), replica()];
  const accountId = await account(1_000n);
  const hold = await dead.billing.hold({ ...payer(accountId), amount: 100n });
  await dead.billing.close({ patienceMs: 0 });
  await lose(hold.requestId, others[0].billing);
  return { accountId, hold, others };
}

test("a hold that is there again after its late charge is returned, and charges nothing", async () => {
  const { accountId, hold, others } = await lostForGood();
  const capture = () => others[0].billing.capture(hold, chargeOf(40n), { isDelivered: true });
  await capture();
  await ledger.db.sql.begin(async (sql) => {
    // A freeze of the same call that was under way all the time.
    await sql`update account_months set frozen = frozen + 100 where account_id = ${accountId}`;
    await sql`
      insert into holds (request_id, account_id, period, amount, expires_at)
      values (${hold.requestId}, ${accountId}, ${hold.period}, 100, now() + interval '1 minute')`;
  });
  await capture();
  expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  expect(await kindsOf(hold.requestId)).toEqual([
    ["release", "100", "expired"],
    ["capture", "0", "late"],
  ]);
});

test("two late charges of one call at once are one, and count as one", async () => {
  const { accountId, hold, others } = await lostForGood();
  let captures: Promise<unknown> = Promise.resolve();
  await ledger.db.sql.begin(async (sql) => {
    await sql`select 1 from account_months where account_id = ${accountId} for update`;
    const charge = chargeOf(40n);
    captures = Promise.all(others.map(({ billing }) => billing.capture(hold, charge, { isDelivered: true })));
    captures.catch(() => {});
    await waitFor(async () => (await ledger.waiters()) >= 2);
  });
  await captures;
  expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  const late = others.flatMap(({ incidents }) => incidents).filter((kind) => kind === "late");
  expect(late).toHaveLength(1);
});

test("a call whose hold a crash of the database has lost is charged all the same", async () => {
  const { billing } = replica();
  const accountId = await account(1_000n);
  const hold = await billing.hold({ ...payer(accountId), amount: 100n });
  await ledger.db.sql.begin(async (sql) => {
    // As it is after a power cut: holds do not wait for the disk.
    await sql`update account_months set frozen = 0 where account_id = ${accountId}`;
    await sql`delete from holds where request_id = ${hold.requestId}`;
  });
  await billing.capture(hold, chargeOf(40n), { isDelivered: true });
  expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  expect(await kindsOf(hold.requestId)).toEqual([["capture", "0", "late"]]);
});

/** A replica whose database can be taken away, and where it keeps what it could not charge. */
async function cuttable() {
  const link = await linkTo(databaseUrl);
  const db = openDatabase(link.url, { connections: 2 });
  const directory = await mkdtemp(join(tmpdir(), "tollgate-charges-"));
  closers.push(async () => {
    await db.close();
    await link.close();
    await rm(directory, { recursive: true, force: true });
  });
  const files = async () => (await readdir(directory)).filter((name) => name.endsWith(".json"));
  return { link, db, directory, files, ...replica({ db, arrearsDirectory: directory }) };
}

describe("while the database is away for longer than anybody waits", () => {
  test("what a client has already is kept, and charged once when it is back", async () => {
    const { billing, link, files, incidents, waiting } = await cuttable();
    const accountId = await account(1_000n);
    const hold = await billing.hold({ ...payer(accountId), amount: 100n });
    link.cut();
    await expect(billing.capture(hold, chargeOf(40n), { isDelivered: true })).rejects.toMatchObject({
      kind: "billingFailed",
    });
    expect(await files()).toHaveLength(1);
    expect([incidents, waiting()]).toEqual([["kept"], 1]);
    await lose(hold.requestId, replica().billing);
    link.mend();
    await waitFor(() => waiting() === 0);
    await waitFor(async () => (await files()).length === 0);
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect(await kindsOf(hold.requestId)).toEqual([
      ["release", "100", "expired"],
      ["capture", "0", "late"],
    ]);
    expect(incidents).toEqual(["kept", "late"]);
  });

  test("what was withheld from its client is never charged", async () => {
    const { billing, link, files, waiting } = await cuttable();
    const accountId = await account(1_000n);
    const hold = await billing.hold({ ...payer(accountId), amount: 100n });
    link.cut();
    await expect(billing.capture(hold, chargeOf(40n))).rejects.toMatchObject({ kind: "billingFailed" });
    expect([await files(), waiting()]).toEqual([[], 0]);
    link.mend();
    await lose(hold.requestId, replica().billing);
    await new Promise((resolve) => setTimeout(resolve, LEASE_SECONDS * 1_000));
    expect(await balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
    expect(await kindsOf(hold.requestId)).toEqual([["release", "100", "expired"]]);
  });

  test("a process that ends leaves its charges to the next one, which charges each once", async () => {
    const { billing, link, files, directory } = await cuttable();
    const accountId = await account(1_000n);
    const holds = await Promise.all([1, 2, 3].map(() => billing.hold({ ...payer(accountId), amount: 100n })));
    link.cut();
    const captures = holds.map((hold) => billing.capture(hold, chargeOf(40n), { isDelivered: true }));
    // On disk before anybody has given up: a kill in the meantime loses nothing.
    await waitFor(async () => (await files()).length === 3);
    await Promise.allSettled(captures);
    await billing.close({ patienceMs: 0 });
    await writeFile(join(directory, "damaged.json"), '{"requestId"');
    const [next, another] = [
      replica({ arrearsDirectory: directory }),
      replica({ arrearsDirectory: directory }),
    ];
    await waitFor(async () => (await files()).length === 1);
    expect(await files()).toEqual(["damaged.json"]);
    await waitFor(() => next.waiting() + another.waiting() === 0);
    expect(await balance(accountId)).toMatchObject({ used: 120n, frozen: 0n });
    const entries = await ledger.entriesOfAll(holds.map(({ requestId }) => requestId));
    expect(entries.filter(({ kind }) => kind === "capture")).toHaveLength(3);
  });

  test("a short absence leaves nothing behind", async () => {
    const { billing, link, files, waiting } = await cuttable();
    const accountId = await account(1_000n);
    const hold = await billing.hold({ ...payer(accountId), amount: 100n });
    link.cut();
    const captured = billing.capture(hold, chargeOf(40n), { isDelivered: true });
    setTimeout(link.mend, 300);
    await captured;
    expect(waiting()).toBe(0);
    await waitFor(async () => (await files()).length === 0);
    expect(await kindsOf(hold.requestId)).toEqual([["capture", "100", null]]);
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });
});
