import { describe, expect, onTestFinished, test, vi } from "vitest";
import { withinMs } from "@/server/base/deadline";
import { nanos } from "@/server/base/money";
import { recallEscrows } from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import type { KeyId } from "@/server/domain/ids";
import { branded } from "@/tests/support/branded";
import { openFresh } from "@/tests/support/database";
import { escrowRoom } from "@/tests/support/escrow-room";
import { chargeOf } from "@/tests/support/ledger";
import { expectRefused } from "@/tests/support/refusal";
import { sleep, until } from "@/tests/support/until";

const { room, replica, call, escrows, busy } = escrowRoom();

describe("an escrow", () => {
  test("of another process is recalled before a call that it could pay for is refused", async () => {
    const [first, second] = [replica(), replica()];
    const accountId = await room.account(1_000n);
    const held = await busy(first, accountId);
    expect(await escrows(accountId)).toHaveLength(1);
    const { available } = await room.balance(accountId);
    const all = await call(second, accountId, { amount: available });
    expect(await room.balance(accountId)).toMatchObject({ frozen: available + 10n, available: 0n });
    await first.capture(held, chargeOf(10n));
    await second.capture(all, chargeOf(available));
    expect(await room.balance(accountId)).toMatchObject({ used: 1_000n, frozen: 0n, available: 0n });
    await expectRefused(call(first, accountId, { amount: 1n }), "quotaExhausted");
  });

  test("of another process is recalled before a call gets less than it asked for", async () => {
    const [first, second] = [replica(), replica()];
    const accountId = await room.account(1_000n);
    await first.capture(await busy(first, accountId), chargeOf(1n));
    const { available } = await room.balance(accountId);
    const want = { ...room.payer(accountId), amount: nanos(available), minimum: nanos(1n) };
    expect((await second.hold(want)).amount).toBe(available);
  });

  test("is recalled while notices are late for a moment, and despite a process that never answers", async () => {
    const open = () => openFresh(room.databaseUrl, { connections: 2 });
    const [ownOfDead, own] = [open(), open()];
    room.onClose(() => own.close());
    const dead = room.replica({ db: ownOfDead, leaseSeconds: 60 }).billing;
    const [asking, other] = [room.replica({ db: own }).billing, replica()];
    const accountId = await room.account(10_000n);
    await dead.capture(await busy(dead, accountId), chargeOf(1n));
    await ownOfDead.close();
    await expectRefused(call(asking, accountId, { amount: 10_001n }), "quotaExhausted");
    const held = await busy(other, accountId);
    const [month] = await room.ledger.months([accountId]);
    const slow = Array.from({ length: 4 }, () => sqlOf(own)`select pg_sleep(0.5)`.execute());
    // The unused escrow of the living process is larger than that.
    const unfrozen = (month?.quota ?? 0n) - (month?.used ?? 0n) - (month?.frozen ?? 0n);
    expect((await call(asking, accountId, { amount: unfrozen + 5n })).amount).toBe(unfrozen + 5n);
    await Promise.all(slow);
    other.release(held, "test");
  });

  test("is awaited no longer than usual when the clock is set back", async () => {
    const ownOfDead = openFresh(room.databaseUrl, { connections: 2 });
    const dead = room.replica({ db: ownOfDead, leaseSeconds: 60 }).billing;
    const accountId = await room.account(10_000n);
    await dead.capture(await busy(dead, accountId), chargeOf(1n));
    await ownOfDead.close();
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const recalled = recallEscrows(room.ledger.db, { accountId });
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await withinMs(recalled, 3_000)).toHaveLength(1);
  });

  test("that is made in the batch of a refused call is recalled for that call", async () => {
    const billing = replica();
    const accountId = await room.account(10_000n);
    const keyId = branded<KeyId>(`other_key_of_${accountId}`);
    const other = (amount: bigint) =>
      billing.hold({ ...room.payer(accountId), keyId, amount: nanos(amount) });
    await until(async () => {
      const held = await other(100n);
      await billing.capture(held, chargeOf(1n));
      return held.drawn !== null;
    });
    await billing.capture(await busy(billing, accountId), chargeOf(1n));
    const { available } = await room.balance(accountId);
    const both = await Promise.all([other(available - 60n), call(billing, accountId, { amount: 60n })]);
    expect(both.map(({ amount }) => amount)).toEqual([available - 60n, 60n]);
  });

  test("of a key is recalled for another key of its account, and for the key's own cap", async () => {
    const billing = replica();
    const accountId = await room.account(100_000n);
    const held = await busy(billing, accountId, { keyCap: 1_000n });
    await billing.capture(held, chargeOf(1n));
    const other = { ...room.payer(accountId), keyId: branded<KeyId>(`other_key_of_${accountId}`) };
    const { available, used } = await room.balance(accountId);
    const rest = await billing.hold({ ...other, amount: nanos(available) });
    billing.release(rest, "test");
    await until(async () => (await room.balance(accountId)).frozen === 0n);
    // One call can use all that its cap leaves, and not a nano-unit more.
    await expectRefused(
      call(billing, accountId, { amount: 1_001n - used, keyCap: 1_000n }),
      "quotaExhausted",
    );
    const whole = await call(billing, accountId, { amount: 1_000n - used, keyCap: 1_000n });
    expect(whole.amount).toBe(1_000n - used);
  });

  test("stays when another key of the account is refused by its own cap", async () => {
    const [billing, other] = [replica(), replica()];
    const accountId = await room.account(1_000_000n);
    const held = await busy(billing, accountId);
    const capped = { ...room.payer(accountId, 5n), keyId: branded<KeyId>(`capped_key_of_${accountId}`) };
    await expectRefused(other.hold({ ...capped, amount: nanos(6n) }), "quotaExhausted");
    const next = await call(billing, accountId);
    expect(next.drawn?.escrowId).toBe(held.drawn?.escrowId);
    for (const each of [held, next]) {
      billing.release(each, "test");
    }
  });

  test("of a dead process returns to its month after its lease, less what was charged", async () => {
    const db = openFresh(room.databaseUrl, { connections: 2 });
    const [dead, alive] = [room.replica({ db }).billing, replica()];
    const accountId = await room.account(1_000n);
    await dead.capture(await busy(dead, accountId), chargeOf(4n));
    const lost = await call(dead, accountId);
    expect(lost.drawn).not.toBeNull();
    const { used } = await room.balance(accountId);
    await db.close();
    const rest = nanos(1_000n - used);
    await expectRefused(call(alive, accountId, { amount: rest }), "quotaExhausted");
    await room.ledger.expire((await escrows(accountId)).map(({ id }) => id));
    expect(await alive.sweep()).toBeGreaterThan(0);
    const all = await call(alive, accountId, { amount: rest });
    await alive.capture(all, chargeOf(rest));
    expect(await room.balance(accountId)).toMatchObject({ used: 1_000n, frozen: 0n, available: 0n });
  });
});

describe("a process that cannot hear recalls", () => {
  /** Ends the connections of all processes of this database that listen for recalls. Returns their number. */
  const cutListeners = async () =>
    (
      await sqlOf(room.ledger.db)`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen "tollgate_recalls"%'`
    ).length;

  test("returns its escrows, and makes none until it listens again", async () => {
    const billing = replica();
    const accountId = await room.account(1_000_000n);
    const held = await busy(billing, accountId);
    expect(await escrows(accountId)).toHaveLength(1);
    const cut = new AbortController();
    const cutting = (async () => {
      while (!cut.signal.aborted) {
        await cutListeners();
        await sleep(5);
      }
    })();
    try {
      await billing.capture(held, chargeOf(1n));
      await until(async () => (await escrows(accountId)).length === 0);
      // Between two cuts the process may listen for a moment; while it does not, its holds are exact.
      await until(async () => {
        const hold = await call(billing, accountId);
        billing.release(hold, "test");
        return hold.drawn === null;
      });
    } finally {
      cut.abort();
      await cutting;
    }
    billing.release(await busy(billing, accountId), "test");
  });
});

test("a process listens once, however often it tried while the database refused connections", async () => {
  const url = new URL(room.databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  const [own, admin] = [
    openFresh(room.databaseUrl, { connections: 2 }),
    openFresh(url.href, { connections: 1 }),
  ];
  room.onClose(() => Promise.all([own.close(), admin.close()]));
  // All connections that calls need are open already.
  await own.keepWarm();
  const { billing } = room.replica({ db: own });
  const accountId = await room.account(1_000_000n);
  const setOpen = (isOpen: boolean) =>
    sqlOf(admin).unsafe(`alter database "${name}" with allow_connections ${isOpen}`);
  await billing.capture(await call(billing, accountId), chargeOf(1n));
  await setOpen(false);
  try {
    for (let index = 0; index < 40; index += 1) {
      await billing.capture(await call(billing, accountId), chargeOf(1n));
      await sleep(50);
    }
  } finally {
    await setOpen(true);
  }
  billing.release(await busy(billing, accountId), "test");
  const { channels } = sqlOf(own).listen as unknown as { channels: Record<string, { listeners: unknown[] }> };
  expect(channels.tollgate_recalls?.listeners).toHaveLength(1);
});
