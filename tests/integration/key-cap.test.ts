import { beforeAll, describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { type Billing, endDurableHold, type Hold, holdDurably } from "@/server/billing";
import { endHolds } from "@/server/billing/holds/end-calls";
import { openPurse } from "@/server/billing/months/months";
import { type Database, transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { KeyId } from "@/server/domain/ids";
import { billingRoom } from "@/tests/support/billing-room";
import { eventually } from "@/tests/support/eventually";
import { chargeOf } from "@/tests/support/ledger";
import { expectRefused, promised } from "@/tests/support/refusal";
import { until } from "@/tests/support/until";
import { branded } from "../support/branded";

const PERIOD = "2026-05";

const { room, ledger, replica } = billingRoom({ leaseSeconds: 3 });
let second: Database;
beforeAll(() => {
  second = ledger.databaseOf(0);
  room.onClose(() => second.close());
});
let serial = 0;
const twoProcesses = (): [Billing, Billing] => [replica(), replica({ db: second })];

/** A new account with a key. The quota is in nano-units. */
async function customer(quota: bigint) {
  const accountId = await room.account(quota);
  return { accountId, keyId: branded<KeyId>(`key_of_${accountId}`) };
}
type KeyHolder = Awaited<ReturnType<typeof customer>>;

const call = () => ({ requestId: `req_cap_${serial++}` });
const keyMonth = async ({ keyId }: KeyHolder) => (await ledger.keyMonths([keyId]))[0];

describe("a key's cap", () => {
  test("counts a charge that commits while the key's month is being opened", async () => {
    const billing = replica();
    const payer = await customer(1_000n);
    const hold = await billing.hold({ ...call(), ...payer, keyCap: null, amount: nanos(100n) });
    let opening: Promise<unknown> = Promise.resolve();
    await transaction(ledger.db, async (tx) => {
      await sqlOf(tx)`select 1 from account_months where account_id = ${payer.accountId} for update`;
      opening = openPurse(second, { ...payer, period: PERIOD, keyCap: nanos(100n) });
      await until(async () => (await ledger.waiters()) >= 1);
      await endHolds(tx, [{ ...hold, charge: { ...chargeOf(60n), keyId: payer.keyId } }]);
    });
    await opening;
    expect(await keyMonth(payer)).toMatchObject({ used: 60n, frozen: 0n });
  });

  test("gets back what a dead process froze of it, for the very call that needs it", async () => {
    const [dead, alive] = [replica(), replica()];
    const payer = await customer(1_000n);
    const lost = await dead.hold({ ...call(), ...payer, keyCap: nanos(100n), amount: nanos(100n) });
    await dead.close({ patienceMs: 0 });
    await ledger.expire([lost.requestId]);
    await alive.hold({ ...call(), ...payer, keyCap: nanos(100n), amount: nanos(100n) });
    expect(await keyMonth(payer)).toMatchObject({ used: 0n, frozen: 100n });
  });

  test("limits money that is frozen within a transaction", async () => {
    const billing = replica();
    const payer = await customer(1_000n);
    const purse = { ...payer, period: PERIOD, keyCap: nanos(100n) };
    const freeze = (amount: bigint, requestId: string) =>
      transaction(ledger.db, (tx) => holdDurably(tx, { ...purse, requestId, amount: nanos(amount) }));
    const isShort = (shortfall: string) => expect.objectContaining({ shortfall });
    await expect(freeze(80n, call().requestId)).rejects.toEqual(isShort("unopened"));
    await billing.openMonthsAndReclaim(purse);
    const { requestId } = call();
    await freeze(80n, requestId);
    await expect(freeze(30n, call().requestId)).rejects.toEqual(isShort("key"));
    await expect(freeze(2_000n, call().requestId)).rejects.toEqual(isShort("account"));
    await transaction(ledger.db, (tx) =>
      endDurableHold(tx, { ...purse, requestId }, { charge: chargeOf(80n) }),
    );
    expect(await keyMonth(payer)).toMatchObject({ used: 80n, frozen: 0n });
  });
});

/** Caps of the key by day and by week, and of the account by day. A missing cap is no cap. */
const windows = (caps: { day?: bigint; week?: bigint; account?: bigint }) => {
  const cap = (amount: bigint | undefined) => (amount === undefined ? null : nanos(amount));
  return { keyDay: cap(caps.day), keyWeek: cap(caps.week), accountDay: cap(caps.account) };
};

const refusedBy = (window: "day" | "week" | "month", until: string, scope = "key") => ({
  kind: "quotaExhausted",
  headers: { "x-quota-scope": scope, "x-quota-window": window, "x-quota-resets-at": until },
});

/** Calls that race. More would wait for each other longer than a hold may take, on a busy machine. */
const AT_ONCE = 50;

/** Makes `calls` calls of 100. Returns the holds of those that succeed and the refusals of the others. */
async function attemptHolds(calls: number, hold: (index: number) => Promise<Hold>) {
  const ends: PromiseSettledResult<Hold>[] = [];
  while (ends.length < calls) {
    const group = Array.from({ length: AT_ONCE }, (_, index) => hold(ends.length + index));
    ends.push(...(await Promise.allSettled(group)));
  }
  return {
    holds: ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : [])),
    refusals: ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : [])),
  };
}

const moveSpendTo = ({ accountId }: KeyHolder, moment: string) =>
  sqlOf(ledger.db)`update spend_hours set hour = ${moment} where account_id = ${accountId}`;

describe("caps by a key's day and week and by an account's day", () => {
  test.each<[caps: Parameters<typeof windows>[0], month: bigint, by: Parameters<typeof refusedBy>]>([
    [{ day: 2_000n, week: 9_000n, account: 3_000n }, 5_000n, ["day", "2026-05-16T00:00:00.000Z"]],
    [{ day: 3_000n, week: 2_000n, account: 3_000n }, 5_000n, ["week", "2026-05-18T00:00:00.000Z"]],
    [{ day: 3_000n, week: 3_000n }, 2_000n, ["month", "2026-06-01T00:00:00.000Z"]],
    [{ day: 3_000n, account: 2_000n }, 3_000n, ["day", "2026-05-16T00:00:00.000Z", "account"]],
  ])(
    "let twenty of two hundred calls through together, across two processes: %o",
    async (caps, month, by) => {
      const payer = await customer(1_000_000n);
      const both = twoProcesses();
      const want = { ...payer, keyCap: nanos(month), windows: windows(caps), amount: nanos(100n) };
      const { holds, refusals } = await attemptHolds(200, (index) =>
        promised(() => (both[index % 2] ?? both[0]).hold({ ...call(), ...want })),
      );
      expect([holds.length, refusals.length]).toEqual([20, 180]);
      for (const error of refusals) {
        expect(error).toMatchObject(refusedBy(...by));
      }
      expect(await keyMonth(payer)).toMatchObject({ used: 0n, frozen: 2_000n });
      await Promise.all(holds.map((hold, index) => both[index % 2]?.capture(hold, chargeOf(100n))));
      expect(await keyMonth(payer)).toMatchObject({ used: 2_000n, frozen: 0n });
      await expectRefused(both[0].hold({ ...call(), ...want, amount: nanos(1n) }), "quotaExhausted");
    },
  );

  test("start again with their window, to the last nano-unit, and count what was spent before they were set", async () => {
    let now = new Date("2026-05-14T12:00:00Z");
    const billing = replica({ clock: () => now });
    const payer = await customer(1_000_000n);
    const pay = async (amount: bigint, caps: Parameters<typeof windows>[0]) => {
      const want = { ...payer, keyCap: null, windows: windows(caps), amount: nanos(amount) };
      await billing.capture(await billing.hold({ ...call(), ...want }), chargeOf(amount));
    };
    await pay(70n, {});
    await pay(30n, { day: 100n });
    const isOver = refusedBy("day", "2026-05-15T00:00:00.000Z");
    await expect(pay(1n, { day: 100n, week: 250n })).rejects.toMatchObject(isOver);
    await moveSpendTo(payer, "2026-05-14T12:00:00Z");
    now = new Date("2026-05-15T00:00:00Z");
    await expectRefused(pay(101n, { day: 100n, week: 250n }), "quotaExhausted");
    await pay(100n, { day: 100n, week: 250n });
    await sqlOf(ledger.db)`
      update spend_hours set hour = '2026-05-15T12:00:00Z'
      where account_id = ${payer.accountId} and hour > '2026-05-16T00:00:00Z'`;
    now = new Date("2026-05-17T23:59:59Z");
    const isOverWeek = refusedBy("week", "2026-05-18T00:00:00.000Z");
    await expect(pay(51n, { day: 100n, week: 250n })).rejects.toMatchObject(isOverWeek);
    await pay(50n, { day: 100n, week: 250n });
    await sqlOf(ledger.db)`
      update spend_hours set hour = '2026-05-17T12:00:00Z'
      where account_id = ${payer.accountId} and hour > '2026-05-18T00:00:00Z'`;
    now = new Date("2026-05-18T00:00:00Z");
    await pay(100n, { day: 100n, week: 250n });
  });

  test("count a call over midnight on both days while it runs, and afterwards on the day of its charge", async () => {
    let now = new Date("2026-05-15T23:59:59Z");
    const billing = replica({ clock: () => now });
    const payer = await customer(1_000n);
    const want = { ...payer, keyCap: null, windows: windows({ day: 150n }) };
    const over = await billing.hold({ ...call(), ...want, amount: nanos(100n) });
    now = new Date("2026-05-16T00:00:00Z");
    const another = (amount: bigint) => billing.hold({ ...call(), ...want, amount: nanos(amount) });
    await expect(another(51n)).rejects.toMatchObject(refusedBy("day", "2026-05-17T00:00:00.000Z"));
    await billing.capture(over, chargeOf(40n));
    await expect(another(111n)).rejects.toMatchObject(refusedBy("day", "2026-05-17T00:00:00.000Z"));
    await another(110n);
    expect(await keyMonth(payer)).toMatchObject({ used: 40n, frozen: 110n });
  });

  test("limit a week across a month's end, for two processes of which one is still in the old month", async () => {
    const payer = await customer(1_000_000n);
    const behind = replica({ clock: () => new Date("2026-04-30T23:59:59Z") });
    const ahead = replica({ db: second, clock: () => new Date("2026-05-01T00:00:00Z") });
    const want = { ...payer, keyCap: null, windows: windows({ week: 2_000n }), amount: nanos(100n) };
    const early = await behind.hold({ ...call(), ...want });
    await behind.capture(early, chargeOf(100n));
    const open = await behind.hold({ ...call(), ...want });
    const { holds, refusals } = await attemptHolds(100, (index) =>
      promised(() => (index % 2 ? ahead : behind).hold({ ...call(), ...want })),
    );
    expect([holds.length, refusals.length]).toEqual([18, 82]);
    for (const error of refusals) {
      expect(error).toMatchObject(refusedBy("week", "2026-05-04T00:00:00.000Z"));
    }
    behind.release(open, "none");
    await until(async () => (await ledger.keyMonths([payer.keyId])).length === 2);
    await eventually(
      async () => await promised(() => ahead.hold({ ...call(), ...want })).catch(() => null),
      5_000,
    ).not.toBeNull();
    await expect(behind.hold({ ...call(), ...want })).rejects.toMatchObject(
      refusedBy("week", "2026-05-04T00:00:00.000Z"),
    );
  });
});

/**
 * Opens a key's month and commits only when the statements of `work` wait for it: they began before the month existed.
 */
async function whileOpening<T>(payer: KeyHolder, work: () => Promise<T>): Promise<T> {
  let pending: Promise<T> | undefined;
  await transaction(second, async (tx) => {
    await openPurse(tx, { ...payer, period: PERIOD, keyCap: nanos(1n) });
    pending = work();
    pending.catch(() => {});
    await until(async () => (await ledger.waiters()) >= 1);
  });
  return await (pending as Promise<T>);
}

describe("a statement that began before a key's month was opened", () => {
  test("charges the key nevertheless", async () => {
    const billing = replica();
    const payer = await customer(1_000n);
    const hold = await billing.hold({ ...call(), ...payer, keyCap: null, amount: nanos(100n) });
    await whileOpening(payer, () => billing.capture(hold, chargeOf(60n)));
    expect(await keyMonth(payer)).toMatchObject({ used: 60n, frozen: 0n });
  });

  test("freezes the key's money nevertheless", async () => {
    const billing = replica();
    const payer = await customer(1_000n);
    await room.balance(payer.accountId);
    await whileOpening(
      payer,
      async () => await billing.hold({ ...call(), ...payer, keyCap: null, amount: nanos(100n) }),
    );
    expect(await keyMonth(payer)).toMatchObject({ used: 0n, frozen: 100n });
  });
});
