import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { ABOVE_HOLD, countArrears, countIncidents } from "@/server/billing";
import { billingRoom } from "@/tests/support/billing-room";
import { openFresh } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { chargeOf } from "@/tests/support/ledger";
import { expectRefused } from "@/tests/support/refusal";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { until } from "@/tests/support/until";

/** Kept charges are posted four times in a lease; a capture is retried for three quarters of it. */
const LEASE_SECONDS = 2;

const home = temporaryDirectory();
const { room, ledger, kindsOf, heldCall } = billingRoom({ leaseSeconds: LEASE_SECONDS });

const chargesDirectory = () => mkdtemp(join(home, "charges-"));

/** A replica whose database can be cut off, and the directory in which it keeps charges that it could not write. */
async function cuttableReplica() {
  const link = await linkTo(room.databaseUrl);
  const db = openFresh(link.url, { connections: 2 });
  const directory = await chargesDirectory();
  room.onClose(async () => {
    await db.close();
    await link.close();
  });
  return {
    link,
    db,
    directory,
    charges: () => countArrears(directory),
    ...room.replica({ db, arrearsDirectory: directory }),
  };
}

test.each([
  [false, ["refused"], 0],
  [true, ["kept"], 1],
])(
  "a charge that the database refuses is dropped with an incident, or kept if its client has the answer (%s)",
  async (isDelivered, expectedIncidents, left) => {
    const { billing, incidents, waiting } = room.replica();
    const { hold } = await heldCall(billing);
    // More than the column can hold.
    await expectRefused(billing.capture(hold, chargeOf(10n ** 19n), { isDelivered }), "billingFailed");
    expect([incidents, waiting()]).toEqual([expectedIncidents, left]);
  },
);

describe("while the database is away for longer than any call waits", () => {
  test("the charge of a delivered answer is kept, and written once when the database is back", async () => {
    const { billing, link, charges, incidents, waiting } = await cuttableReplica();
    const { accountId, hold } = await heldCall(billing);
    link.cut();
    await expectRefused(billing.capture(hold, chargeOf(40n), { isDelivered: true }), "billingFailed");
    expect(await charges()).toBe(1);
    expect([incidents, waiting()]).toEqual([["kept"], 1]);
    await room.lose(hold.requestId, room.replica().billing);
    link.mend();
    await until(() => waiting() === 0);
    await until(async () => (await charges()) === 0);
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect(await kindsOf(hold.requestId)).toEqual([
      ["release", "100", "expired"],
      ["capture", "0", "late"],
    ]);
    expect(incidents).toEqual(["kept", "late"]);
  });

  test("an answer that was withheld from its client is never charged", async () => {
    const { billing, link, charges, waiting, incidents } = await cuttableReplica();
    const { accountId, hold } = await heldCall(billing);
    link.cut();
    await expectRefused(billing.capture(hold, chargeOf(40n)), "billingFailed");
    // An outage has its own alarm; its calls raise none.
    expect([await charges(), waiting(), incidents]).toEqual([0, 0, []]);
    link.mend();
    await room.lose(hold.requestId, room.replica().billing);
    await new Promise((resolve) => setTimeout(resolve, LEASE_SECONDS * 1_000));
    expect(await room.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
    expect(await kindsOf(hold.requestId)).toEqual([["release", "100", "expired"]]);
  });

  test("a process that ends leaves its charges to the next one, which charges each once", async () => {
    const { billing, link, charges, directory } = await cuttableReplica();
    const accountId = await room.account(1_000n);
    const holds = await Promise.all(
      [1, 2, 3].map(() => billing.hold({ ...room.payer(accountId), amount: nanos(100n) })),
    );
    link.cut();
    const captures = holds.map((hold) => billing.capture(hold, chargeOf(40n), { isDelivered: true }));
    // On disk before any capture has given up: a kill in the meantime loses nothing.
    await until(async () => (await charges()) === 3);
    await Promise.allSettled(captures);
    await billing.close({ patienceMs: 0 });
    const [next, another] = [
      room.replica({ arrearsDirectory: directory }),
      room.replica({ arrearsDirectory: directory }),
    ];
    await until(async () => (await readdir(directory)).length === 0);
    await until(() => next.waiting() + another.waiting() === 0);
    expect(await room.balance(accountId)).toMatchObject({ used: 120n, frozen: 0n });
    const entries = await ledger.entriesOfAll(holds.map(({ requestId }) => requestId));
    expect(entries.filter(({ kind }) => kind === "capture")).toHaveLength(3);
  });

  test("a kept charge has all that its ledger entry needs, and doctor counts it", async () => {
    const { billing, link, directory } = await cuttableReplica();
    const { accountId, hold } = await heldCall(billing);
    const before = await countIncidents(ledger.db, new Date(0));
    link.cut();
    const charge = { ...chargeOf(140n), note: ABOVE_HOLD };
    await expectRefused(billing.capture(hold, charge, { isDelivered: true }), "billingFailed");
    await billing.close({ patienceMs: 0 });
    await room.lose(hold.requestId, room.replica().billing);
    room.replica({ arrearsDirectory: directory });
    await until(async () => (await room.balance(accountId)).used === 140n);
    expect(await kindsOf(hold.requestId)).toEqual([
      ["release", "100", "expired"],
      ["capture", "0", `late, ${ABOVE_HOLD}`],
    ]);
    const { late, aboveHold } = await countIncidents(ledger.db, new Date(0));
    expect({ late, aboveHold }).toEqual({ late: before.late + 1, aboveHold: before.aboveHold + 1 });
  });

  test("a short absence leaves no kept charge behind", async () => {
    const { billing, link, charges, waiting } = await cuttableReplica();
    const { accountId, hold } = await heldCall(billing);
    link.cut();
    const captured = billing.capture(hold, chargeOf(40n), { isDelivered: true });
    setTimeout(link.mend, 300);
    await captured;
    expect(waiting()).toBe(0);
    await until(async () => (await charges()) === 0);
    expect(await kindsOf(hold.requestId)).toEqual([["capture", "100", null]]);
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });
});

test("a charge is on disk within seconds even while its call's money is being frozen again without end", async () => {
  const directory = await chargesDirectory();
  const { billing, incidents } = room.replica({ arrearsDirectory: directory });
  const { accountId, hold } = await heldCall(billing);
  let capture = Promise.resolve();
  // A hold for this account waits.
  await room.loseWhileLocked(hold, async () => {
    await until(async () => (await ledger.waiters()) >= 1);
    capture = billing.capture(hold, chargeOf(40n), { isDelivered: true });
    capture.catch(() => {});
    await until(async () => (await countArrears(directory)) === 1);
  });
  // The capture charged the call itself, or, if it gave up, its kept charge did.
  await Promise.allSettled([capture]);
  expect(incidents).toContain("kept");
  await until(async () => (await countArrears(directory)) === 0);
  await until(async () => (await room.balance(accountId)).frozen === 0n);
  expect(await room.balance(accountId)).toMatchObject({ used: 40n });
  expect((await kindsOf(hold.requestId)).filter(([kind]) => kind === "capture")).toHaveLength(1);
});
