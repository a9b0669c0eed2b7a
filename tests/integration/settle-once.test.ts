import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { getBalance, type Hold, setMonthlyQuota, topUp } from "@/server/billing";
import { endHolds } from "@/server/billing/holds/end-calls";
import { insertHolds, renewHolds } from "@/server/billing/holds/holds";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { billingRoom } from "@/tests/support/billing-room";
import { chargeOf } from "@/tests/support/ledger";
import { until } from "@/tests/support/until";

const { room, ledger, replica, heldCall } = billingRoom({ leaseSeconds: 3 });

describe("a hold ends once, whatever process ends it and when", () => {
  test("the first of a capture and a release in one batch counts", async () => {
    const billing = replica();
    const { accountId, hold } = await heldCall(billing);
    const capture = billing.capture(hold, chargeOf(40n));
    billing.release(hold, "late");
    await capture;
    expect(await ledger.entriesOf(hold.requestId)).toMatchObject([{ kind: "capture", amount: "40" }]);

    const second = await billing.hold({ ...room.payer(accountId), amount: nanos(100n) });
    billing.release(second, "first");
    await expect(billing.capture(second, chargeOf(40n))).rejects.toMatchObject({ kind: "billingFailed" });
    expect(await ledger.entriesOf(second.requestId)).toMatchObject([{ kind: "release", amount: "100" }]);
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });

  test.each([
    ["a capture that waits while the sweeper releases its hold is late, and charges once", 1],
    ["one of two such captures charges, and both succeed", 2],
  ])("%s", async (_what, captures) => {
    const [alive, sweeper] = [replica({ leaseSeconds: 60 }), replica()];
    const { accountId, hold } = await heldCall(alive);
    await ledger.expire([hold.requestId]);
    await room.whileLocked({
      accountId,
      work: async () => {
        // The order in the queue for the lock: a capture's statement does not see the sweeper's changes.
        const swept = sweeper.sweep();
        await until(async () => (await ledger.waiters()) >= 1);
        const charged = Array.from({ length: captures }, () => alive.capture(hold, chargeOf(40n)));
        await Promise.all([swept, ...charged]);
      },
      until: async () => (await ledger.waiters()) >= 2,
    });
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect((await ledger.entriesOf(hold.requestId)).map(({ kind }) => kind)).toContain("capture");
  });

  test("a call that is released and charged in one batch, after the sweeper took its hold, is charged late", async () => {
    const [alive, other] = [replica({ leaseSeconds: 60 }), replica()];
    const { accountId, hold } = await heldCall(alive);
    await ledger.expire([hold.requestId]);
    expect(await other.sweep()).toBe(1);
    alive.release(hold, "nothing to return");
    await alive.capture(hold, chargeOf(40n));
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect(await ledger.entriesOf(hold.requestId)).toMatchObject([
      { kind: "release", note: "expired" },
      { kind: "capture", amount: "40", note: "late" },
    ]);
  });

  test("a call that is being released for another reason is not charged late", async () => {
    const [first, second] = [replica(), replica()];
    const { accountId, hold } = await heldCall(first);
    const outcome = await room.whileLocked({
      accountId,
      work: async () => {
        first.release(hold, "upstreams_unavailable");
        await until(async () => (await ledger.waiters()) >= 1);
        return await second.capture(hold, chargeOf(40n)).then(
          () => "charged",
          (error: unknown) => error,
        );
      },
      until: async () => (await ledger.waiters()) >= 2,
    });
    expect(outcome).toMatchObject({ kind: "billingFailed" });
    expect(await room.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  });

  test("no call ends another account's hold", async () => {
    const billing = replica();
    const [accountId, other] = [await room.account(1_000n), await room.account(1_000n)];
    const hold = await billing.hold({ ...room.payer(accountId), amount: nanos(100n) });
    await room.balance(other);
    const wrong = { requestId: hold.requestId, accountId: other, period: hold.period, charge: null };
    expect(await endHolds(ledger.db, [wrong])).toEqual(["gone"]);
    expect(await ledger.openHolds([hold.requestId])).toBe(1);
    await billing.capture(hold, chargeOf(40n));
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect(await room.balance(other)).toMatchObject({ used: 0n, frozen: 0n });
  });

  test("a lease that is renewed while the sweeper waits keeps its money", async () => {
    const [alive, sweeper] = [replica({ leaseSeconds: 60 }), replica()];
    const { accountId, hold } = await heldCall(alive);
    await ledger.expire([hold.requestId]);
    let isRenewed = false;
    const swept = await room.whileLocked({
      accountId,
      work: async () => {
        const sweeping = sweeper.sweep();
        await until(async () => (await ledger.waiters()) >= 1);
        // The renewal needs only the hold's row, which the sweeper has not reached.
        await renewHolds(ledger.db, [hold], 60);
        isRenewed = true;
        return await sweeping;
      },
      until: async () => isRenewed,
    });
    expect(swept).toBe(0);
    await alive.capture(hold, chargeOf(40n));
    expect(await room.balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });
});

describe("a batch of charges", () => {
  test("a charge that no column can hold fails alone", async () => {
    const billing = replica();
    const accountId = await room.account(1_000n);
    const holds = await Promise.all(
      Array.from({ length: 20 }, () => billing.hold({ ...room.payer(accountId), amount: nanos(10n) })),
    );
    const outcomes = await Promise.allSettled(
      holds.map((hold, index) => billing.capture(hold, chargeOf(index === 7 ? 10n ** 24n : 10n))),
    );
    expect(outcomes.flatMap((outcome, index) => (outcome.status === "rejected" ? [index] : []))).toEqual([7]);
    expect(await room.balance(accountId)).toMatchObject({ used: 190n, frozen: 10n });
    billing.release(holds[7] as Hold, "test");
    await until(async () => (await room.balance(accountId)).frozen === 0n);
  });
});

describe("a changed quota", () => {
  test("is at least what is used and frozen, and a lower one never adds money", async () => {
    const billing = replica();
    const accountId = await room.account(100n);
    const set = (quota: bigint) =>
      setMonthlyQuota(ledger.db, { accountId, period: "2026-05", quota: nanos(quota) });
    const hold = await billing.hold({ ...room.payer(accountId), amount: nanos(60n) });
    expect(await set(10n)).toMatchObject({ quota: 60n, available: 0n });
    await billing.capture(hold, chargeOf(90n));
    // The call's upstream exceeded its hold: 90 used of 60.
    expect(await set(50n)).toMatchObject({ quota: 60n, available: -30n });
    expect(await set(70n)).toMatchObject({ quota: 70n, available: -20n });
    expect(await set(200n)).toMatchObject({ quota: 200n, available: 110n });
    expect(await set(0n)).toMatchObject({ quota: 90n, available: 0n });
  });

  test("does not fall below what is being frozen at that moment", async () => {
    const accountId = await room.account(100n);
    await room.balance(accountId);
    const request = { ...room.payer(accountId), period: "2026-05", amount: nanos(60n), minimum: nanos(60n) };
    const change = { accountId, period: "2026-05", quota: nanos(10n) };
    let pending: Promise<unknown> = Promise.resolve();
    await transaction(ledger.db, async (tx) => {
      await insertHolds(tx, [request], 60);
      pending = setMonthlyQuota(ledger.db, change);
      await until(async () => (await ledger.waiters()) >= 1);
    });
    expect(await pending).toMatchObject({ quota: 60n, frozen: 60n, available: 0n });
  });
});

describe("a top-up", () => {
  const give = (accountId: AccountId, amount: bigint) =>
    topUp(ledger.db, { accountId, period: "2026-05", amount: nanos(amount), reason: "test" });

  test("of more than a month can hold is refused, and moves nothing", async () => {
    const accountId = await room.account(10n);
    const limit = 4n * 10n ** 18n;
    await give(accountId, limit);
    await expect(give(accountId, 1n)).rejects.toMatchObject({ reason: "topUpTooLarge" });
    expect(await room.balance(accountId)).toMatchObject({ topups: limit });
    // The account continues to call.
    const billing = replica();
    const hold = await billing.hold({ ...room.payer(accountId), amount: nanos(60n) });
    await billing.capture(hold, chargeOf(60n));
  });
});

test("a charge beyond its escrow's money is reported as overspent, also before its month includes it", async () => {
  const accountId = await room.account(100n);
  const { period } = await getBalance(ledger.db, { accountId, period: "2026-05" });
  const sql = sqlOf(ledger.db);
  await sql`
    insert into holds (request_id, account_id, period, amount, captured, process_id, expires_at)
    values ('esc_by_hand', ${accountId}, ${period}, 100, 130, 'proc_by_hand', now() + interval '1 hour')`;
  await sql`update account_months set frozen = 100 where account_id = ${accountId}`;
  await sql`
    insert into ledger_entries (account_id, period, kind, amount, held, id, key_id, model_id)
    values (${accountId}, ${period}, 'capture', 130, 130, 'req_by_hand_beyond', '', '')`;
  await sql`
    insert into spend_hours (account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens)
    values (${accountId}, ${period}, date_trunc('hour', now()), '', '', 1, 130, 0, 0)`;
  expect(await ledger.verify()).toEqual([
    { accountId, period, figure: "overspent", keyId: null, recorded: 30n, recomputed: 0n },
  ]);
  await sql`update ledger_entries set held = 100 where id = 'req_by_hand_beyond'`;
  expect(await ledger.verify()).toEqual([]);
  await sql`delete from holds where request_id = 'esc_by_hand'`;
  await sql`update account_months set frozen = 0, used = 130 where account_id = ${accountId}`;
});
