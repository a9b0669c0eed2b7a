import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { setAccountLimits } from "@/server/access";
import { nanos } from "@/server/base/money";
import { type Billing, countArrears, type Hold } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { billingRoom } from "@/tests/support/billing-room";
import { openFresh } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { chargeOf } from "@/tests/support/ledger";
import { expectRefused } from "@/tests/support/refusal";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { until } from "@/tests/support/until";

const home = temporaryDirectory();
/** No payer is busy, so that no call is paid by an escrow. */
const { room } = billingRoom({ leaseSeconds: 3, busyCalls: 1_000_000 });

const newDirectory = () => mkdtemp(join(home, "charges-"));

/** A process that serves while its database is cut off. */
async function serving({ allowance = 100n, directory = "", role = "" } = {}) {
  const link = await linkTo(room.databaseUrl);
  const url = role ? link.url.replace(/\/\/[^@]*@/, `//${role}:${role}@`) : link.url;
  const db = openFresh(url, { connections: 2 });
  room.onClose(async () => {
    link.mend();
    await db.close();
    await link.close();
  });
  const arrearsDirectory = directory || (await newDirectory());
  const process = room.replica({ db, arrearsDirectory, storesCharges: true, outage: { allowance } });
  return { link, directory: arrearsDirectory, ...process };
}

const hold = async (billing: Billing, accountId: AccountId, amount: bigint) =>
  await billing.hold({ ...room.payer(accountId), amount: nanos(amount) });

const partsOf = async (accountId: AccountId) =>
  (
    await sqlOf(room.ledger.db)<{ amount: string }[]>`
      select amount::text from outage_parts where account_id = ${accountId} order by amount`
  ).map(({ amount }) => BigInt(amount));

/** Makes a call, and waits until this process, which has no other part, knows of a part of the account's allowance. */
async function waitForPart(billing: Billing, accountId: AccountId, part: bigint): Promise<void> {
  billing.release(await hold(billing, accountId, 1n), "test");
  await until(async () => (await partsOf(accountId)).includes(part) && billing.sellsAlone());
}

const entriesOf = async (requestId: string) =>
  (await room.ledger.entriesOf(requestId)).map(({ kind, amount, held, note }) => [kind, amount, held, note]);

describe("while the database is away, an account is sold what its allowance has", () => {
  test.each(["cut", "silence"] as const)(
    "and no more: it is in the ledger afterwards, marked, and out of the quota (%s)",
    async (how) => {
      const { link, billing, directory } = await serving();
      const accountId = await room.account(1_000n);
      await waitForPart(billing, accountId, 100n);
      const before = await hold(billing, accountId, 50n);
      link[how]();
      const [first, second] = [await hold(billing, accountId, 60n), await hold(billing, accountId, 40n)];
      await expectRefused(hold(billing, accountId, 1n), "unavailable");
      await billing.capture(first, chargeOf(25n));
      await billing.capture(await hold(billing, accountId, 35n), chargeOf(35n));
      billing.release(second, "test");
      await billing.capture(before, chargeOf(30n));
      expect(await countArrears(directory)).toBe(3);
      link.mend();
      await until(async () => (await countArrears(directory)) === 0);
      expect(await entriesOf(first.requestId)).toEqual([["capture", "25", "0", "outage"]]);
      const ends = await entriesOf(before.requestId);
      const [note] = ends.map((entry) => entry[3]);
      expect(ends).toEqual([["capture", "30", "50", note]]);
      // The only try with its own hold waits for a connection to a silent database, and may get one before the disk does.
      expect(how === "cut" ? ["outage"] : ["outage", null]).toContain(note);
      expect(await entriesOf(second.requestId)).toEqual([]);
      expect(await room.balance(accountId)).toMatchObject({ used: 90n, frozen: 0n });
      await until(async () => (await partsOf(accountId)).includes(100n));
    },
  );

  test("also to calls that had their hold before: their charges wait on the disk, and end the holds", async () => {
    const { link, billing, directory } = await serving();
    const accountId = await room.account(1_000n);
    await waitForPart(billing, accountId, 100n);
    const calls = [await hold(billing, accountId, 60n), await hold(billing, accountId, 50n)];
    link.cut();
    await Promise.all(
      calls.map((held, index) => billing.capture(held, chargeOf(30n), { isDelivered: index === 0 })),
    );
    expect(await countArrears(directory)).toBe(2);
    link.mend();
    await until(async () => (await countArrears(directory)) === 0);
    for (const { requestId, amount } of calls) {
      expect(await entriesOf(requestId)).toEqual([["capture", "30", String(amount), "outage"]]);
    }
    expect(await room.balance(accountId)).toMatchObject({ used: 60n, frozen: 0n });
    await until(async () => (await partsOf(accountId)).includes(100n));
  });

  test("also while it answers and only reads", async () => {
    const sql = sqlOf(room.ledger.db);
    const role = `reader_${process.pid}`;
    await sql.unsafe(`create role ${role} superuser login password '${role}'`);
    room.onClose(async () => void (await sql.unsafe(`drop role ${role}`)));
    const { link, billing, directory } = await serving({ role });
    const setReadOnly = async (isReadOnly: "on" | "off") => {
      await sql.unsafe(`alter role ${role} set default_transaction_read_only = ${isReadOnly}`);
      // Sessions take it when they begin.
      link.cut();
      link.mend();
    };
    const accountId = await room.account(1_000n);
    await waitForPart(billing, accountId, 100n);
    await setReadOnly("on");
    const held = await hold(billing, accountId, 100n);
    await expectRefused(hold(billing, accountId, 1n), "unavailable");
    await billing.capture(held, chargeOf(30n));
    expect(await countArrears(directory)).toBe(1);
    await setReadOnly("off");
    await until(async () => (await countArrears(directory)) === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "30", "0", "outage"]]);
  });

  test("also in a month that begins meanwhile", async () => {
    const { link, billing, directory } = await serving();
    const accountId = await room.account(1_000n);
    await waitForPart(billing, accountId, 100n);
    link.cut();
    room.clock.now = new Date("2026-06-01T00:00:00Z");
    const held = await hold(billing, accountId, 60n);
    await billing.capture(held, chargeOf(60n));
    room.clock.now = new Date("2026-05-15T12:00:00Z");
    link.mend();
    await until(async () => (await countArrears(directory)) === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "60", "0", "outage"]]);
    expect(await room.balance(accountId, "2026-06")).toMatchObject({ used: 60n, available: 940n });
    expect(await room.balance(accountId)).toMatchObject({ used: 0n });
  });

  test("nothing under a cap of its key, whose use only the database knows", async () => {
    const { link, billing } = await serving();
    const accountId = await room.account(1_000n);
    await waitForPart(billing, accountId, 100n);
    link.cut();
    const capped = { ...room.payer(accountId, 900n), amount: nanos(1n) };
    await expectRefused((async () => await billing.hold(capped))(), "unavailable");
    billing.release(await hold(billing, accountId, 1n), "test");
  });

  test("no more than it has left when the part is given: an account without money is sold nothing", async () => {
    const { link, billing } = await serving();
    const poor = await room.account(40n);
    const out = await room.account(5n);
    await billing.capture(await hold(billing, out, 5n), chargeOf(5n));
    await waitForPart(billing, poor, 40n);
    link.cut();
    await expectRefused(hold(billing, out, 1n), "unavailable");
    await expectRefused(hold(billing, poor, 41n), "unavailable");
    billing.release(await hold(billing, poor, 40n), "test");
  });

  test("its own allowance in place of the installation's, and nothing where that is 0", async () => {
    const { link, billing } = await serving({ allowance: 0n });
    const [none, own] = [await room.account(1_000n), await room.account(1_000n)];
    await setAccountLimits(room.ledger.db, { accountId: own, outageAllowance: nanos(70n) });
    billing.release(await hold(billing, none, 1n), "test");
    await waitForPart(billing, own, 70n);
    expect(await partsOf(none)).toEqual([]);
    link.cut();
    await expectRefused(hold(billing, none, 1n), "unavailable");
    billing.release(await hold(billing, own, 70n), "test");
  });
});

/** The newest request for the account's part. */
const turnOf = async (accountId: AccountId) => {
  const [row] = await sqlOf(room.ledger.db)<{ turn: string }[]>`
    select max(turn)::text as turn from outage_parts where account_id = ${accountId}`;
  return Number(row?.turn);
};

test("a database that comes and goes refuses no call, and charges each once", async () => {
  const { link, billing, directory } = await serving();
  const accountId = await room.account(1_000n);
  await waitForPart(billing, accountId, 100n);
  const calls: Hold[] = [];
  const begin = async () => {
    const held = await hold(billing, accountId, 5n);
    calls.push(held);
    return held;
  };
  for (let round = 0; round < 6; round++) {
    const before = await begin();
    round % 2 === 0 ? link.cut() : link.cut({ abruptly: true });
    await billing.capture(before, chargeOf(3n), { isDelivered: round > 2 });
    const within = await begin();
    link.mend();
    await billing.capture(within, chargeOf(4n));
  }
  await until(async () => (await countArrears(directory)) === 0);
  const captures = await Promise.all(calls.map(({ requestId }) => entriesOf(requestId)));
  expect(captures.map((entries) => entries.filter(([kind]) => kind === "capture").length)).toEqual(
    calls.map(() => 1),
  );
  // A hold may have been frozen unheard.
  await until(async () => {
    await billing.sweep();
    return (await room.balance(accountId)).frozen === 0n;
  });
  expect(await room.balance(accountId)).toMatchObject({ used: 42n });
});

test("a database that answers and takes no writes refuses no call", async () => {
  const { link, billing, directory } = await serving();
  const accountId = await room.account(1_000n);
  await waitForPart(billing, accountId, 100n);
  const name = new URL(room.databaseUrl).pathname.slice(1);
  /** Of new sessions. */
  const onlyRead = async (value: "on" | "off") => {
    await sqlOf(room.ledger.db).begin("read write", (sql) =>
      sql.unsafe(`alter database "${name}" set default_transaction_read_only = ${value}`),
    );
    link.cut();
    link.mend();
  };
  await onlyRead("on");
  const calls: Hold[] = [];
  for (let count = 0; count < 4; count++) {
    const held = await hold(billing, accountId, 20n);
    await billing.capture(held, chargeOf(20n));
    calls.push(held);
  }
  await onlyRead("off");
  await until(async () => (await countArrears(directory)) === 0);
  for (const { requestId } of calls) {
    expect(await entriesOf(requestId)).toEqual([["capture", "20", "0", "outage"]]);
  }
  expect(await room.balance(accountId)).toMatchObject({ used: 80n, frozen: 0n });
});

test("an account keeps its part when a month begins, before it has called", async () => {
  const { link, billing } = await serving();
  const accountId = await room.account(1_000n);
  await waitForPart(billing, accountId, 100n);
  room.clock.now = new Date("2026-07-01T00:00:00Z");
  const before = await turnOf(accountId);
  await until(async () => (await turnOf(accountId)) > before, 60_000);
  link.cut();
  billing.release(await hold(billing, accountId, 100n), "test");
  room.clock.now = new Date("2026-05-15T12:00:00Z");
});

test("a charge that neither the disk nor the database takes does not keep the part from being renewed", async () => {
  const { link, billing, directory } = await serving();
  const accountId = await room.account(1_000n);
  await waitForPart(billing, accountId, 100n);
  link.cut();
  const held = await hold(billing, accountId, 60n);
  await rm(directory, { recursive: true });
  await writeFile(directory, "no directory");
  await expectRefused(billing.capture(held, chargeOf(60n)), "billingFailed");
  await rm(directory);
  const before = await turnOf(accountId);
  link.mend();
  await until(async () => (await turnOf(accountId)) > before, 60_000);
  await until(async () => (await partsOf(accountId)).includes(100n));
  expect(await entriesOf(held.requestId)).toEqual([]);
});

test.each([
  [false, ["refused"], 0],
  [true, ["kept"], 1],
])(
  "a charge that the database refuses is dropped with an incident, or kept if its client has the answer (%s)",
  async (isDelivered, expectedIncidents, left) => {
    const { billing, incidents, waiting } = await serving();
    const accountId = await room.account(1_000n);
    await waitForPart(billing, accountId, 100n);
    const held = await hold(billing, accountId, 60n);
    // More than the column can hold.
    const charge = { ...chargeOf(60n), cost: nanos(10n ** 19n) };
    await expectRefused(billing.capture(held, charge, { isDelivered }), "billingFailed");
    expect([incidents, waiting()]).toEqual([expectedIncidents, left]);
  },
);

describe("the parts of all processes are together no more than the allowance", () => {
  test("and are shared evenly between the processes that the account calls", async () => {
    const [first, second] = [await serving(), await serving()];
    const accountId = await room.account(1_000n);
    await waitForPart(first.billing, accountId, 100n);
    await Promise.all([first, second].map(({ billing }) => waitForPart(billing, accountId, 50n)));
    await until(async () => (await partsOf(accountId)).join() === "50,50");
    first.link.cut();
    second.link.cut();
    const held = await Promise.all([first, second].map(({ billing }) => hold(billing, accountId, 50n)));
    await Promise.all(
      [first, second].map(({ billing }) => expectRefused(hold(billing, accountId, 1n), "unavailable")),
    );
    expect(held.map(({ amount }) => amount)).toEqual([50n, 50n]);
  });

  test("a process that ends returns its part", async () => {
    const { billing } = await serving();
    const accountId = await room.account(1_000n);
    await waitForPart(billing, accountId, 100n);
    await billing.close();
    expect(await partsOf(accountId)).toEqual([]);
  });

  test("a process keeps its part after a long outage until it has had time to settle", async () => {
    const [first, second] = [await serving(), await serving()];
    const [accountId, other] = [await room.account(1_000n), await room.account(1_000n)];
    await waitForPart(first.billing, accountId, 100n);
    await waitForPart(second.billing, other, 100n);
    first.link.cut();
    second.link.cut();
    const held = await hold(first.billing, accountId, 60n);
    await first.billing.capture(held, chargeOf(60n));
    second.billing.release(await hold(second.billing, other, 1n), "test");
    await sqlOf(room.ledger.db)`
      update outage_parts set expires_at = now() - interval '1 hour' where account_id = ${accountId}`;
    second.link.mend();
    await until(
      async () =>
        await second.billing.sweep().then(
          () => true,
          () => false,
        ),
    );
    expect(await partsOf(accountId)).toEqual([100n]);
    first.link.mend();
    await until(async () => (await countArrears(first.directory)) === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "60", "0", "outage"]]);
  });

  test("a process that dies keeps its part until its charges are in the ledger", async () => {
    const directory = await newDirectory();
    const { link, billing } = await serving({ directory });
    const accountId = await room.account(1_000n);
    await waitForPart(billing, accountId, 100n);
    link.cut();
    const held = await hold(billing, accountId, 60n);
    await billing.capture(held, chargeOf(60n));
    await billing.close({ patienceMs: 0 });
    const { billing: next } = await serving({ directory });
    await until(async () => (await countArrears(directory)) === 0);
    expect(await entriesOf(held.requestId)).toEqual([["capture", "60", "0", "outage"]]);
    await waitForPart(next, accountId, 50n);
    expect(await partsOf(accountId)).toEqual([40n, 50n]);
    await next.sweep();
    expect(await partsOf(accountId)).toEqual([50n]);
    await until(async () => (await partsOf(accountId)).join() === "100");
  });
});
