import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { type Hold, recallEscrows } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { escrowRoom } from "@/tests/support/escrow-room";
import { chargeOf } from "@/tests/support/ledger";
import { sleep, until } from "@/tests/support/until";

const { room, replica, call, escrows, busy } = escrowRoom();

const month = async (accountId: AccountId) => (await room.ledger.months([accountId]))[0];

describe("the escrow of a busy payer", () => {
  test("pays for calls without a statement each, and every figure equals that of single holds", async () => {
    const billing = replica();
    const accountId = await room.account(1_000_000n);
    const first = await busy(billing, accountId);
    const [row] = await escrows(accountId);
    expect(Number(row?.amount)).toBeGreaterThanOrEqual(20);
    const second = await call(billing, accountId, { amount: 5n });
    expect(second.drawn).toEqual({ escrowId: row?.id, held: 5n });
    const before = await room.balance(accountId);
    await billing.capture(first, chargeOf(7n));
    await billing.capture(second, chargeOf(3n));
    expect(await room.balance(accountId)).toMatchObject({
      used: before.used + 10n,
      frozen: 0n,
      available: 1_000_000n - before.used - 10n,
    });
    expect(await room.ledger.entriesOf(second.requestId)).toMatchObject([
      { kind: "capture", amount: "3", held: "5" },
    ]);
  });

  test("is folded into its month and returns its rest when its process ends", async () => {
    const billing = replica();
    const accountId = await room.account(1_000_000n);
    await billing.capture(await busy(billing, accountId), chargeOf(4n));
    const { used } = await room.balance(accountId);
    await billing.close();
    expect(await escrows(accountId)).toEqual([]);
    expect(await month(accountId)).toMatchObject({ used, frozen: 0n });
  });

  test("is folded into its own payer's month when several are folded together", async () => {
    const billing = replica();
    const payers = [await room.account(1_000_000n), await room.account(1_000_000n)];
    for (const held of await Promise.all(payers.map((accountId) => busy(billing, accountId)))) {
      await billing.capture(held, chargeOf(4n));
    }
    const before = await Promise.all(payers.map((accountId) => room.balance(accountId)));
    await billing.close();
    expect(await Promise.all(payers.map(month))).toMatchObject(
      before.map(({ used }) => ({ used, frozen: 0n })),
    );
  });

  test("is folded at once when a call is charged more than is left of it, so that no call gets that money twice", async () => {
    const [first, second] = [replica(), replica()];
    const accountId = await room.account(1_000n);
    const held = await busy(first, accountId);
    await recallEscrows(room.ledger.db, { accountId });
    await first.capture(held, chargeOf(held.amount + 6n));
    const { used, available } = await room.balance(accountId);
    expect(await month(accountId)).toMatchObject({ used, frozen: 0n });
    const request = { ...room.payer(accountId), amount: nanos(available + 6n), minimum: nanos(0n) };
    expect((await second.hold(request)).amount).toBe(available);
  });

  test("exists until its last call has ended, even a call that costs nothing", async () => {
    const { billing, incidents } = room.replica();
    const accountId = await room.account(1_000_000n);
    const held = await busy(billing, accountId);
    const [charged, returned] = [
      await call(billing, accountId, { amount: 0n }),
      await call(billing, accountId, { amount: 0n }),
    ];
    expect(charged.drawn?.escrowId).toBe(held.drawn?.escrowId);
    await billing.capture(held, chargeOf(4n));
    await recallEscrows(room.ledger.db, { accountId });
    await until(async () => (await month(accountId))?.frozen === 0n);
    expect(await escrows(accountId)).toMatchObject([{ id: held.drawn?.escrowId, amount: "0" }]);
    await billing.capture(charged, chargeOf(0n));
    billing.release(returned, "test");
    await until(async () => (await escrows(accountId)).length === 0);
    expect(await room.ledger.entriesOf(charged.requestId)).toMatchObject([{ kind: "capture", note: null }]);
    expect(await room.ledger.entriesOf(returned.requestId)).toMatchObject([{ kind: "release", amount: "0" }]);
    expect(incidents).toEqual([]);
  });

  test("ends a call once: a second end changes nothing and follows the first", async () => {
    const [first, second] = [replica(), replica()];
    const accountId = await room.account(1_000_000n);
    const held = await busy(first, accountId);
    const { used } = await room.balance(accountId);
    await Promise.all([first, first, second].map((billing) => billing.capture(held, chargeOf(4n))));
    await second.capture(held, chargeOf(4n));
    first.release(held, "too late");
    expect((await room.balance(accountId)).used).toBe(used + 4n);
    expect(await room.ledger.entriesOf(held.requestId)).toHaveLength(1);

    const released = await call(first, accountId);
    expect(released.drawn).not.toBeNull();
    first.release(released, "first");
    await expect(first.capture(released, chargeOf(4n))).rejects.toMatchObject({ kind: "billingFailed" });
    await expect(second.capture(released, chargeOf(4n))).rejects.toMatchObject({ kind: "billingFailed" });
    expect((await room.balance(accountId)).used).toBe(used + 4n);
  });

  test("is at most a sixteenth of the remaining money, and near the limit every call has its exact hold", async () => {
    const billing = replica();
    const accountId = await room.account(340n);
    await billing.capture(await busy(billing, accountId), chargeOf(1n));
    for (const { amount } of await escrows(accountId)) {
      expect(BigInt(amount)).toBeLessThanOrEqual(340n / 16n);
    }
    const granted: Hold[] = [];
    await expect(
      (async () => {
        for (;;) {
          granted.push(await call(billing, accountId));
        }
      })(),
    ).rejects.toMatchObject({ kind: "quotaExhausted" });
    const { used, frozen, available } = await room.balance(accountId);
    expect({ used, frozen, available: available < 10n }).toEqual({
      used,
      frozen: BigInt(granted.length) * 10n,
      available: true,
    });
  });
});

test("the sweeper and a paused process end the same escrows at once without a deadlock", async () => {
  const [slow, sweeper] = [room.replica({ leaseSeconds: 60 }), replica()];
  const held: Hold[] = [];
  for (let index = 0; index < 9; index += 1) {
    held.push(await busy(slow.billing, await room.account(100_000n)));
  }
  const ids = held.map(({ drawn }) => drawn?.escrowId ?? "");
  // One by one, the last first, so that the table has them in another order than by id.
  for (const id of ids.toReversed()) {
    await room.ledger.expire([id]);
  }
  const ends = await sqlOf(room.ledger.db).begin(async (sql) => {
    // Each of the two locks the rows before this one in its own order, and then waits for this one.
    await sql`
      select 1 from holds where account_id = ${held[4]?.accountId ?? ""} and request_id = ${ids[4] ?? ""} for update`;
    const ends = [sweeper.sweep(), ...held.map((each) => slow.billing.capture(each, chargeOf(3n)))];
    await until(async () => (await room.ledger.waiters()) >= 2);
    return ends;
  });
  await Promise.all(ends);
  // A connection reports its statistics within about a second.
  await sleep(1_500);
  const [met] = await sqlOf(room.ledger.db)`
    select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`;
  expect(met).toEqual({ deadlocks: 0 });
});

describe("a process that was paused for longer than the lease of its escrow", () => {
  test("pays no new call from it, and its running calls freeze their money again", async () => {
    const [slow, other] = [room.replica(), replica()];
    const accountId = await room.account(10_000n);
    const held = await busy(slow.billing, accountId);
    const drawn = held.drawn?.escrowId ?? "";
    await room.lose(drawn, other);
    await until(async () => (await room.ledger.openHolds([held.requestId])) === 1);
    expect(slow.incidents).toEqual(["hold_regained"]);
    const next = await call(slow.billing, accountId);
    expect(next.drawn?.escrowId).not.toBe(drawn);
    await slow.billing.capture(next, chargeOf(10n));
    const { used } = await room.balance(accountId);
    await slow.billing.capture(held, chargeOf(6n));
    expect(await room.balance(accountId)).toMatchObject({ used: used + 6n, frozen: 0n });
    expect(await room.ledger.entriesOf(held.requestId)).toMatchObject([
      { kind: "capture", amount: "6", held: "10", note: null },
    ]);
  });

  test("makes a late capture of what it charges before it notices", async () => {
    const [slow, other] = [room.replica({ leaseSeconds: 60 }), replica()];
    const accountId = await room.account(10_000n);
    const held = await busy(slow.billing, accountId);
    const { used } = await room.balance(accountId);
    await room.lose(held.drawn?.escrowId ?? "", other);
    await slow.billing.capture(held, chargeOf(6n));
    expect(await room.balance(accountId)).toMatchObject({ used: used + 6n, frozen: 0n });
    expect(slow.incidents).toEqual(["late"]);
    expect(await room.ledger.entriesOf(held.requestId)).toMatchObject([
      { amount: "6", held: "0", note: "late" },
    ]);
  });
});
