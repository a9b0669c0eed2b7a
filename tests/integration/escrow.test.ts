import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AccountId, KeyId } from "@/server/base/ids";
import { nanos } from "@/server/base/money";
import { type Billing, type Hold, recallEscrows, setMonthlyQuota } from "@/server/billing";
import { openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type BillingRoom, openBillingRoom } from "@/tests/support/billing-room";
import { chargeOf, type Ledger } from "@/tests/support/ledger";
import { madeUp } from "@/tests/support/made-up";
import { waitFor } from "@/tests/support/process";

const LEASE_SECONDS = 3;
const PERIOD = "2026-05";

let room: BillingRoom;
let ledger: Ledger;

beforeAll(async () => {
  room = await openBillingRoom({ leaseSeconds: LEASE_SECONDS, busyCalls: 1 });
  ledger = room.ledger;
});
afterAll(async () => {
  expect(await ledger.verify()).toEqual([]);
  await room.close();
});

const replica = (): Billing => room.replica().billing;

const call = (billing: Billing, accountId: AccountId, want: { amount?: bigint; keyCap?: bigint } = {}) =>
  billing.hold({ ...room.payer(accountId, want.keyCap), amount: nanos(want.amount ?? 10n) });

/** What is set aside in the database: rows that are an escrow. */
const escrows = async (accountId: AccountId) => [
  ...(await sqlOf(ledger.db)<{ id: string; amount: string; captured: string }[]>`
    select request_id as id, amount::text, captured::text from holds
    where account_id = ${accountId} and process_id is not null order by 1`),
];

/** A process that is busy for the account: a part of the month is set aside there. Answers the call that it pays for. */
async function busy(billing: Billing, accountId: AccountId, want: { keyCap?: bigint } = {}): Promise<Hold> {
  const keyId = room.payer(accountId).keyId;
  let last: Hold | null = null;
  await waitFor(async () => {
    if (last) {
      await billing.capture(last, chargeOf(1n, "upstream", keyId));
    }
    last = await call(billing, accountId, want);
    return last.drawn !== null;
  });
  if (last === null) {
    throw new Error("never busy");
  }
  return last;
}

const month = async (accountId: AccountId) => (await ledger.months([accountId]))[0];

describe("what is set aside for a busy payer", () => {
  test("pays for calls without a statement each, and every figure is as if each had been frozen", async () => {
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
    expect(await ledger.entriesOf(second.requestId)).toMatchObject([
      { kind: "capture", amount: "3", held: "5" },
    ]);
    expect(await ledger.verify()).toEqual([]);
  });

  test("is told to its month, and what is left of it returned, when its process ends", async () => {
    const billing = replica();
    const accountId = await room.account(1_000_000n);
    await billing.capture(await busy(billing, accountId), chargeOf(4n));
    const { used } = await room.balance(accountId);
    await billing.close();
    expect(await escrows(accountId)).toEqual([]);
    expect(await month(accountId)).toMatchObject({ used, frozen: 0n });
  });

  test("a call that fails gives its part back, and the ledger says so", async () => {
    const billing = replica();
    const accountId = await room.account(1_000_000n);
    const held = await busy(billing, accountId);
    const { used } = await room.balance(accountId);
    billing.release(held, "upstreams_unavailable");
    await waitFor(async () => (await ledger.entriesOf(held.requestId)).length === 1);
    expect(await ledger.entriesOf(held.requestId)).toMatchObject([{ kind: "release", amount: "10" }]);
    expect(await room.balance(accountId)).toMatchObject({ used, frozen: 0n });
  });

  test("ends a call once: the second end changes nothing, and is told how it ended", async () => {
    const [first, second] = [replica(), replica()];
    const accountId = await room.account(1_000_000n);
    const held = await busy(first, accountId);
    const { used } = await room.balance(accountId);
    await Promise.all([first, first, second].map((billing) => billing.capture(held, chargeOf(4n))));
    await second.capture(held, chargeOf(4n));
    first.release(held, "too late");
    expect((await room.balance(accountId)).used).toBe(used + 4n);
    expect(await ledger.entriesOf(held.requestId)).toHaveLength(1);

    const released = await call(first, accountId);
    expect(released.drawn).not.toBeNull();
    first.release(released, "first");
    await expect(first.capture(released, chargeOf(4n))).rejects.toMatchObject({ kind: "billingFailed" });
    await expect(second.capture(released, chargeOf(4n))).rejects.toMatchObject({ kind: "billingFailed" });
    expect((await room.balance(accountId)).used).toBe(used + 4n);
  });

  test("is never more than a sixteenth of what is left, and near the edge every call has its exact hold", async () => {
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
    expect(await ledger.verify()).toEqual([]);
  });
});

describe("what another process has set aside", () => {
  test("is called back before a call that it could pay for is refused", async () => {
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
    await expect(call(first, accountId, { amount: 1n })).rejects.toMatchObject({ kind: "quotaExhausted" });
  });

  test("is called back before a call gets less than it asked for", async () => {
    const [first, second] = [replica(), replica()];
    const accountId = await room.account(1_000n);
    await first.capture(await busy(first, accountId), chargeOf(1n));
    const { available } = await room.balance(accountId);
    const want = { ...room.payer(accountId), amount: nanos(available), minimum: nanos(1n) };
    expect((await second.hold(want)).amount).toBe(available);
  });

  test("is called back by who asks while nobody is heard for a moment, and beside one that never answers", async () => {
    const [ownOfDead, own] = [0, 1].map(() => openDatabase(room.databaseUrl, { connections: 2 }));
    if (!ownOfDead || !own) {
      throw new Error("no database");
    }
    room.onClose(() => own.close());
    const dead = room.replica({ db: ownOfDead, leaseSeconds: 60 }).billing;
    const [asking, other] = [room.replica({ db: own }).billing, replica()];
    const accountId = await room.account(10_000n);
    await dead.capture(await busy(dead, accountId), chargeOf(1n));
    await ownOfDead.close();
    await expect(call(asking, accountId, { amount: 10_001n })).rejects.toMatchObject({
      kind: "quotaExhausted",
    });
    const held = await busy(other, accountId);
    const [month] = await ledger.months([accountId]);
    const slow = Array.from({ length: 4 }, () => sqlOf(own)`select pg_sleep(0.5)`.execute());
    // What lies unused with the one that lives is more than that.
    const unfrozen = (month?.quota ?? 0n) - (month?.used ?? 0n) - (month?.frozen ?? 0n);
    expect((await call(asking, accountId, { amount: unfrozen + 5n })).amount).toBe(unfrozen + 5n);
    await Promise.all(slow);
    other.release(held, "test");
  });

  test("in the very batch in which a call is refused is called back for it", async () => {
    const billing = replica();
    const accountId = await room.account(10_000n);
    const keyId = madeUp<KeyId>(`other_key_of_${accountId}`);
    const other = (amount: bigint) =>
      billing.hold({ ...room.payer(accountId), keyId, amount: nanos(amount) });
    await waitFor(async () => {
      const held = await other(100n);
      await billing.capture(held, chargeOf(1n, "upstream", keyId));
      return held.drawn !== null;
    });
    await billing.capture(
      await busy(billing, accountId),
      chargeOf(1n, "upstream", room.payer(accountId).keyId),
    );
    const { available } = await room.balance(accountId);
    const both = await Promise.all([other(available - 60n), call(billing, accountId, { amount: 60n })]);
    expect(both.map(({ amount }) => amount)).toEqual([available - 60n, 60n]);
  });

  test("for a key is called back for another key of its account, and for the key's own cap", async () => {
    const billing = replica();
    const accountId = await room.account(100_000n);
    const held = await busy(billing, accountId, { keyCap: 1_000n });
    await billing.capture(held, chargeOf(1n, "upstream", room.payer(accountId).keyId));
    const other = { ...room.payer(accountId), keyId: madeUp<KeyId>(`other_key_of_${accountId}`) };
    const { available, used } = await room.balance(accountId);
    const rest = await billing.hold({ ...other, amount: nanos(available) });
    billing.release(rest, "test");
    await waitFor(async () => (await room.balance(accountId)).frozen === 0n);
    // All that its cap leaves, in one call, and not a nano-unit more.
    await expect(call(billing, accountId, { amount: 1_001n - used, keyCap: 1_000n })).rejects.toMatchObject({
      kind: "quotaExhausted",
    });
    const whole = await call(billing, accountId, { amount: 1_000n - used, keyCap: 1_000n });
    expect(whole.amount).toBe(1_000n - used);
  });

  test("stays where another key of the account is refused for its own cap", async () => {
    const [billing, other] = [replica(), replica()];
    const accountId = await room.account(1_000_000n);
    const held = await busy(billing, accountId);
    const capped = { ...room.payer(accountId, 5n), keyId: madeUp<KeyId>(`capped_key_of_${accountId}`) };
    await expect(other.hold({ ...capped, amount: nanos(6n) })).rejects.toMatchObject({ kind: "quotaExhausted" });
    const next = await call(billing, accountId);
    expect(next.drawn?.escrowId).toBe(held.drawn?.escrowId);
    for (const each of [held, next]) {
      billing.release(each, "test");
    }
  });

  test("does not keep a quota from being lowered to what is used and in use", async () => {
    const billing = replica();
    const accountId = await room.account(1_000_000n);
    const held = await busy(billing, accountId);
    const { used } = await room.balance(accountId);
    await recallEscrows(ledger.db, { accountId });
    const month = await setMonthlyQuota(ledger.db, { accountId, period: PERIOD, quota: nanos(0n) });
    expect(month).toMatchObject({ quota: used + 10n, frozen: 10n, available: 0n });
    await billing.capture(held, chargeOf(10n));
    await expect(call(billing, accountId, { amount: 1n })).rejects.toMatchObject({ kind: "quotaExhausted" });
  });

  test("comes back when its process is dead and its lease over, but for what was charged", async () => {
    const db = openDatabase(room.databaseUrl, { connections: 2 });
    const [dead, alive] = [room.replica({ db }).billing, replica()];
    const accountId = await room.account(1_000n);
    await dead.capture(await busy(dead, accountId), chargeOf(4n));
    const lost = await call(dead, accountId);
    expect(lost.drawn).not.toBeNull();
    const { used } = await room.balance(accountId);
    await db.close();
    const rest = nanos(1_000n - used);
    await expect(call(alive, accountId, { amount: rest })).rejects.toMatchObject({ kind: "quotaExhausted" });
    await ledger.expire((await escrows(accountId)).map(({ id }) => id));
    expect(await alive.sweep()).toBeGreaterThan(0);
    const all = await call(alive, accountId, { amount: rest });
    await alive.capture(all, chargeOf(rest));
    expect(await room.balance(accountId)).toMatchObject({ used: 1_000n, frozen: 0n, available: 0n });
    expect(await ledger.verify()).toEqual([]);
  });
});

describe("a process that others cannot call back", () => {
  /** What listens for calls, of all processes of this database; new ones too, until it is answered. */
  const cutListeners = async () =>
    (
      await sqlOf(ledger.db)`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen "tollgate_recalls"%'`
    ).length;

  test("gives back what it has set aside, and sets nothing aside until it hears again", async () => {
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
      await waitFor(async () => (await escrows(accountId)).length === 0);
      const exact = await call(billing, accountId);
      expect(exact.drawn).toBeNull();
      billing.release(exact, "test");
    } finally {
      cut.abort();
      await cutting;
    }
    billing.release(await busy(billing, accountId), "test");
  });
});

test("a process listens once, however often it tried while the database took no connection", async () => {
  const url = new URL(room.databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  const [own, admin] = [
    openDatabase(room.databaseUrl, { connections: 2 }),
    openDatabase(url.href, { connections: 1 }),
  ];
  room.onClose(() => Promise.all([own.close(), admin.close()]));
  const { billing } = room.replica({ db: own });
  const accountId = await room.account(1_000_000n);
  const { keyId } = room.payer(accountId);
  const setOpen = (isOpen: boolean) =>
    sqlOf(admin).unsafe(`alter database "${name}" with allow_connections ${isOpen}`);
  await billing.capture(await call(billing, accountId), chargeOf(1n, "upstream", keyId));
  await setOpen(false);
  try {
    for (let index = 0; index < 40; index += 1) {
      await billing.capture(await call(billing, accountId), chargeOf(1n, "upstream", keyId));
      await sleep(50);
    }
  } finally {
    await setOpen(true);
  }
  billing.release(await busy(billing, accountId), "test");
  const { channels } = sqlOf(own).listen as unknown as { channels: Record<string, { listeners: unknown[] }> };
  expect(channels.tollgate_recalls?.listeners).toHaveLength(1);
});

test("the sweeper and a process that stood still end the same escrows at once, and neither waits in a circle", async () => {
  const [slow, sweeper] = [room.replica({ leaseSeconds: 60 }), replica()];
  const held: Hold[] = [];
  for (let index = 0; index < 9; index += 1) {
    held.push(await busy(slow.billing, await room.account(100_000n)));
  }
  const ids = held.map(({ drawn }) => drawn?.escrowId ?? "");
  // One by one, the last first: so they lie in the table in the other order than by id.
  for (const id of ids.toReversed()) {
    await ledger.expire([id]);
  }
  const ends = await sqlOf(ledger.db).begin(async (sql) => {
    // Each of the two takes what comes before this one in its order, and then waits for it.
    await sql`select from holds where request_id = ${ids[4] ?? ""} for update`;
    const ends = [sweeper.sweep(), ...held.map((each) => slow.billing.capture(each, chargeOf(3n)))];
    await waitFor(async () => (await ledger.waiters()) >= 2);
    return ends;
  });
  await Promise.all(ends);
  // What a connection has met is told within a second or so.
  await sleep(1_500);
  const [met] = await sqlOf(ledger.db)`
    select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`;
  expect(met).toEqual({ deadlocks: 0 });
});

describe("a process that stood still for longer than the lease of what it has set aside", () => {
  test("pays no new call out of it, and its calls under way take their money again", async () => {
    const [slow, other] = [room.replica(), replica()];
    const accountId = await room.account(10_000n);
    const held = await busy(slow.billing, accountId);
    const drawn = held.drawn?.escrowId ?? "";
    await room.lose(drawn, other);
    await waitFor(async () => (await ledger.openHolds([held.requestId])) === 1);
    expect(slow.incidents).toEqual(["hold_regained"]);
    const next = await call(slow.billing, accountId);
    expect(next.drawn?.escrowId).not.toBe(drawn);
    await slow.billing.capture(next, chargeOf(10n));
    const { used } = await room.balance(accountId);
    await slow.billing.capture(held, chargeOf(6n));
    expect(await room.balance(accountId)).toMatchObject({ used: used + 6n, frozen: 0n });
    expect(await ledger.entriesOf(held.requestId)).toMatchObject([
      { kind: "capture", amount: "6", held: "10", note: null },
    ]);
  });

  test("charges late what it charges before it has noticed", async () => {
    const [slow, other] = [room.replica({ leaseSeconds: 60 }), replica()];
    const accountId = await room.account(10_000n);
    const held = await busy(slow.billing, accountId);
    const { used } = await room.balance(accountId);
    await room.lose(held.drawn?.escrowId ?? "", other);
    await slow.billing.capture(held, chargeOf(6n));
    expect(await room.balance(accountId)).toMatchObject({ used: used + 6n, frozen: 0n });
    expect(slow.incidents).toEqual(["late"]);
    expect(await ledger.entriesOf(held.requestId)).toMatchObject([{ amount: "6", held: "0", note: "late" }]);
  });
});

test("a call that began last month is paid out of last month's, and the next one is not", async () => {
  const billing = replica();
  const accountId = await room.account(1_000_000n);
  const held = await busy(billing, accountId);
  room.clock.now = new Date("2026-06-01T00:00:00Z");
  try {
    const next = await call(billing, accountId);
    expect(next.period).toBe("2026-06");
    const { used } = await room.balance(accountId, PERIOD);
    await billing.capture(held, chargeOf(6n));
    await billing.capture(next, chargeOf(5n));
    expect((await room.balance(accountId, PERIOD)).used).toBe(used + 6n);
    expect((await room.balance(accountId, "2026-06")).used).toBe(5n);
  } finally {
    room.clock.now = new Date("2026-05-15T12:00:00Z");
  }
});
