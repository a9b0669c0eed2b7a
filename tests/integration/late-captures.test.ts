import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { countIncidents, findCharges, type Hold, spendByDay } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import { type BillingReplica, billingRoom } from "@/tests/support/billing-room";
import { chargeOf } from "@/tests/support/ledger";
import { promised } from "@/tests/support/refusal";
import { until } from "@/tests/support/until";

/** In a lease, leases are renewed and kept charges posted four times; a capture is retried for three quarters of it. */
const LEASE_SECONDS = 2;

const { room, ledger, kindsOf, heldCall } = billingRoom({ leaseSeconds: LEASE_SECONDS });

/** A process that does not renew its leases during a test, and so does not notice that it lost them. */
const pausedReplica = () => room.replica({ leaseSeconds: 600 });

describe("a call whose process was paused for longer than its lease", () => {
  test("freezes its money again, and is charged as usual", async () => {
    const [slow, other] = [room.replica(), room.replica()];
    const accountId = await room.account(1_000n);
    const hold = await slow.billing.hold({ ...room.payer(accountId, 500n), amount: nanos(100n) });
    await room.lose(hold.requestId, other.billing);
    await until(async () => (await ledger.openHolds([hold.requestId])) === 1);
    expect(await room.balance(accountId)).toMatchObject({ frozen: 100n });
    expect(hold.lost.isCancelled).toBe(false);
    await slow.billing.capture(hold, chargeOf(40n), {
      isDelivered: true,
    });
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect(await kindsOf(hold.requestId)).toEqual([
      ["release", "100", "expired"],
      ["capture", "100", null],
    ]);
    expect(slow.incidents).toEqual(["hold_regained"]);
  });

  test("is charged late even if one statement returned the money of several calls", async () => {
    const [slow, other] = [pausedReplica(), room.replica()];
    const calls = [await heldCall(slow.billing), await heldCall(slow.billing), await heldCall(slow.billing)];
    const ids = calls.map(({ hold }) => hold.requestId);
    await ledger.expire(ids);
    expect(await other.billing.sweep()).toBeGreaterThanOrEqual(calls.length);
    const delivered = { isDelivered: true };
    await Promise.all(calls.map(({ hold }) => slow.billing.capture(hold, chargeOf(40n), delivered)));
    for (const { accountId, hold } of calls) {
      expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
      expect((await kindsOf(hold.requestId)).map(([kind]) => kind)).toEqual(["release", "capture"]);
    }
  });

  test("has one release entry, however often it loses its hold", async () => {
    const [slow, other] = [room.replica(), room.replica()];
    const { accountId, hold } = await heldCall(slow.billing);
    for (let round = 0; round < 3; round++) {
      await room.lose(hold.requestId, other.billing);
      await until(async () => (await ledger.openHolds([hold.requestId])) === 1);
      expect(await room.balance(accountId)).toMatchObject({ frozen: 100n });
    }
    expect(slow.incidents).toEqual(Array(3).fill("hold_regained"));
    slow.billing.release(hold, "upstreams_unavailable");
    await until(async () => (await room.balance(accountId)).frozen === 0n);
    expect(await kindsOf(hold.requestId)).toEqual([["release", "100", "expired"]]);
  });

  test("is cancelled when its money is spent, and pays late for what was delivered", async () => {
    const [slow, other] = [room.replica(), room.replica()];
    const accountId = await room.account(100n);
    const hold = await slow.billing.hold({ ...room.payer(accountId), amount: nanos(100n) });
    const next: Hold[] = [];
    await until(async () => {
      await ledger.expire([hold.requestId]);
      const spent = promised(() => other.billing.hold({ ...room.payer(accountId), amount: nanos(100n) }));
      return await spent.then(
        (newHold) => next.push(newHold) > 0,
        () => false,
      );
    });
    await until(() => hold.lost.isCancelled);
    expect(hold.lost.reason).toMatchObject({ kind: "quotaExhausted" });
    await slow.billing.capture(hold, chargeOf(70n), { isDelivered: true });
    await Promise.all(next.map((each) => other.billing.capture(each, chargeOf(100n))));
    expect(await room.balance(accountId)).toMatchObject({ used: 170n, frozen: 0n, available: -70n });
    expect(await kindsOf(hold.requestId)).toEqual([
      ["release", "100", "expired"],
      ["capture", "0", "late"],
    ]);
    expect(slow.incidents.slice(-2)).toEqual(["hold_refused", "late"]);
  });

  test("pays in the month in which it began, also under its key's cap and in the sums by the hour", async () => {
    const [slow, other] = [pausedReplica(), room.replica()];
    const accountId = await room.account(1_000n);
    const want = { ...room.payer(accountId, 100n), amount: nanos(60n) };
    const hold = await slow.billing.hold(want);
    room.clock.now = new Date("2026-06-01T00:00:00Z");
    await room.lose(hold.requestId, other.billing);
    await slow.billing.capture(hold, chargeOf(50n), { isDelivered: true });
    expect(await room.balance(accountId)).toMatchObject({ used: 50n, frozen: 0n });
    expect(await room.balance(accountId, "2026-06")).toMatchObject({ used: 0n });
    expect(await ledger.keyMonths([want.keyId])).toEqual([
      { keyId: want.keyId, period: "2026-05", used: 50n, frozen: 0n },
    ]);
    const days = await spendByDay(ledger.db, { accountId, period: "2026-05", timeZone: "UTC" });
    expect(days.map(({ calls, amount }) => [calls, amount])).toEqual([[1, 50n]]);
    room.clock.now = new Date("2026-05-15T12:00:00Z");
    // The key has 50 of its 100 left, as if the charge had come in time.
    await expect(
      other.billing.hold({ ...room.payer(accountId, 100n), amount: nanos(51n) }),
    ).rejects.toMatchObject({
      kind: "quotaExhausted",
    });
  });

  test("shows its charge and not its release where charges are looked up", async () => {
    const [slow, other] = [pausedReplica(), room.replica()];
    const { accountId, hold } = await heldCall(slow.billing);
    const before = await countIncidents(ledger.db, new Date(0));
    await room.lose(hold.requestId, other.billing);
    expect(await countIncidents(ledger.db, new Date(0))).toEqual({
      ...before,
      uncharged: before.uncharged + 1,
    });
    await slow.billing.capture(hold, chargeOf(40n), { isDelivered: true });
    const charges = await findCharges(ledger.db, [{ id: hold.requestId, accountId }]);
    expect(charges.get(hold.requestId)).toMatchObject({ kind: "capture", amount: 40n, note: "late" });
    expect(await countIncidents(ledger.db, new Date(0))).toEqual({ ...before, late: before.late + 1 });
  });

  test("is not frozen again once any process has ended it", async () => {
    const [owner, other] = [room.replica(), room.replica()];
    const { accountId, hold } = await heldCall(owner.billing);
    await other.billing.capture(hold, chargeOf(40n));
    await new Promise((resolve) => setTimeout(resolve, LEASE_SECONDS * 600));
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });
});

const passes = (renewals: number) =>
  new Promise((resolve) => setTimeout(resolve, (renewals * LEASE_SECONDS * 1_000) / 4 + 200));

describe("money that is frozen again", () => {
  test("is frozen once, however long it takes, so that an account with no more keeps its call", async () => {
    const { billing, incidents } = room.replica();
    const accountId = await room.account(100n);
    const hold = await billing.hold({ ...room.payer(accountId), amount: nanos(100n) });
    await room.loseWhileLocked(hold, () => passes(3));
    await until(async () => (await ledger.openHolds([hold.requestId])) === 1);
    await passes(1);
    expect(hold.lost.isCancelled).toBe(false);
    expect(incidents).toEqual(["hold_regained"]);
    await billing.capture(hold, chargeOf(40n));
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });

  test("is not frozen for a call that is being charged", async () => {
    const { billing, incidents } = room.replica();
    const { accountId, hold } = await heldCall(billing);
    let capture = Promise.resolve();
    await room.loseWhileLocked(hold, async () => {
      capture = billing.capture(hold, chargeOf(40n));
      capture.catch(() => {});
      await passes(2);
    });
    await capture;
    expect(incidents).toEqual(["late"]);
    expect(await kindsOf(hold.requestId)).toEqual([["capture", "0", "late"]]);
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });
});

test("a lease is renewed although the end of another call of its process takes long", async () => {
  const { billing } = room.replica();
  const accountId = await room.account(1_000n);
  const hold = () => billing.hold({ ...room.payer(accountId), amount: nanos(100n) });
  const [ending, living] = [await hold(), await hold()];
  await sqlOf(ledger.db).begin(async (sql) => {
    await sql`
      select 1 from holds where account_id = ${accountId} and request_id = ${ending.requestId} for update`;
    await ledger.expire([living.requestId]);
    await until(async () => (await ledger.leaseOf(living.requestId)) > 0);
  });
  await Promise.all([ending, living].map((each) => billing.capture(each, chargeOf(40n))));
});

/** A call whose process and hold are gone for good, and two replicas that may charge it. */
async function newLostCall() {
  const dead = room.replica();
  const others: [BillingReplica, BillingReplica] = [room.replica(), room.replica()];
  const { accountId, hold } = await heldCall(dead.billing);
  await dead.billing.close({ patienceMs: 0 });
  await room.lose(hold.requestId, others[0].billing);
  return { accountId, hold, others };
}

test("a hold that reappears after its late charge is returned, and charges nothing", async () => {
  const { accountId, hold, others } = await newLostCall();
  const capture = () => others[0].billing.capture(hold, chargeOf(40n), { isDelivered: true });
  await capture();
  await sqlOf(ledger.db).begin(async (sql) => {
    // A freeze of the same call that was under way all the time.
    await sql`update account_months set frozen = frozen + 100 where account_id = ${accountId}`;
    await sql`
      insert into holds (request_id, account_id, period, amount, expires_at)
      values (${hold.requestId}, ${accountId}, ${hold.period}, 100, now() + interval '1 minute')`;
  });
  await capture();
  expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  expect(await kindsOf(hold.requestId)).toEqual([
    ["release", "100", "expired"],
    ["capture", "0", "late"],
  ]);
});

test("two late charges of one call at once become one, and count as one", async () => {
  const { accountId, hold, others } = await newLostCall();
  let captures: Promise<unknown> = Promise.resolve();
  await sqlOf(ledger.db).begin(async (sql) => {
    await sql`select 1 from account_months where account_id = ${accountId} for update`;
    const charge = chargeOf(40n);
    captures = Promise.all(others.map(({ billing }) => billing.capture(hold, charge, { isDelivered: true })));
    captures.catch(() => {});
    await until(async () => (await ledger.waiters()) >= 2);
  });
  await captures;
  expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  const late = others.flatMap(({ incidents }) => incidents).filter((kind) => kind === "late");
  expect(late).toHaveLength(1);
});

test("a call whose hold was lost in a crash of the database is charged all the same", async () => {
  const { billing } = pausedReplica();
  const { accountId, hold } = await heldCall(billing);
  await room.loseWhileLocked(hold, async () => {});
  await billing.capture(hold, chargeOf(40n), { isDelivered: true });
  expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  expect(await kindsOf(hold.requestId)).toEqual([["capture", "0", "late"]]);
});
