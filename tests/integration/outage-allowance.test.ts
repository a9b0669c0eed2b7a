import { describe, expect, test } from "vitest";
import { setAccountLimits } from "@/server/access";
import { nanos } from "@/server/base/money";
import { countArrears, type Hold } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import { chargeOf } from "@/tests/support/ledger";
import { outageRoom } from "@/tests/support/outage-room";
import { expectRefused } from "@/tests/support/refusal";
import { until } from "@/tests/support/until";

const { entriesOf, hold, partsOf, room, serving, waitForPart } = outageRoom();

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
    expect(await room.balance(accountId)).toMatchObject({ used: 30n, frozen: 0n });
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
