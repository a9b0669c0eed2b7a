import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "@/server/access";
import type { KeyId } from "@/server/base/ids";
import { createLog } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import {
  type Billing,
  createBilling,
  endDurableHold,
  getBalance,
  type Hold,
  holdDurably,
} from "@/server/billing";
import { openPurse } from "@/server/billing/months";
import { endHolds } from "@/server/billing/settlements";
import { type Database, transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { chargeOf, type Ledger, openLedger } from "@/tests/support/ledger";
import { waitFor } from "@/tests/support/process";
import { madeUp } from "../support/made-up";

const PERIOD = "2026-05";
const LEASE_SECONDS = 3;

let ledger: Ledger;
let second: Database;
let serial = 0;
const replicas: Billing[] = [];

const replica = (db = ledger.db, clock = () => new Date("2026-05-15T12:00:00Z")): Billing => {
  const billing = createBilling({
    db,
    clock,
    timeZone: "UTC",
    log: createLog("silent"),
    leaseSeconds: LEASE_SECONDS,
  });
  replicas.push(billing);
  return billing;
};

beforeAll(async () => {
  const url = await freshDatabase();
  ledger = openLedger(url);
  second = openFresh(url);
  await ledger.outlastStart(LEASE_SECONDS);
});
afterAll(async () => {
  expect(await ledger.verify()).toEqual([]);
  await Promise.all(replicas.map((billing) => billing.close({ patienceMs: 0 })));
  await Promise.all([ledger.db.close(), second.close()]);
});

/** A new account with a key. Quota in nano-units. */
async function customer(quota: bigint) {
  const name = `cap ${serial++}`;
  const { id: accountId } = await createAccount(ledger.db, { name, monthlyQuotaNanos: nanos(quota) });
  return { accountId, keyId: madeUp<KeyId>(`key_of_${accountId}`) };
}
type Customer = Awaited<ReturnType<typeof customer>>;

const call = () => ({ requestId: `req_cap_${serial++}` });
const charge = (amount: bigint, { keyId }: Customer) => chargeOf(amount, "upstream", keyId);
const keyMonth = async ({ keyId }: Customer) => (await ledger.keyMonths([keyId]))[0];
const refusal = { kind: "quotaExhausted", headers: { "x-quota-scope": "key" } };

describe("a key's cap", () => {
  test("of twenty calls lets twenty of two hundred through, of two processes at once", async () => {
    const payer = await customer(1_000_000n);
    const both = [replica(), replica(second)];
    const holds: Hold[] = [];
    const refusals: unknown[] = [];
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        try {
          const billing = both[index % 2] as Billing;
          holds.push(await billing.hold({ ...call(), ...payer, keyCap: nanos(2_000n), amount: nanos(100n) }));
        } catch (error) {
          refusals.push(error);
        }
      }),
    );
    expect(holds.length).toBe(20);
    expect(refusals.length).toBe(180);
    for (const error of refusals) {
      expect(error).toMatchObject(refusal);
    }
    expect(await keyMonth(payer)).toMatchObject({ used: 0n, frozen: 2_000n });
    await Promise.all(holds.map((hold, index) => both[index % 2]?.capture(hold, charge(100n, payer))));
    expect(await keyMonth(payer)).toMatchObject({ used: 2_000n, frozen: 0n });
    await expect(
      (both[0] as Billing).hold({ ...call(), ...payer, keyCap: nanos(2_000n), amount: nanos(1n) }),
    ).rejects.toMatchObject(refusal);
  });

  test("counts what the key had used and frozen before it had a cap, and no other key's", async () => {
    const billing = replica();
    const payer = await customer(1_000n);
    const other = { ...payer, keyId: madeUp<KeyId>(`${payer.keyId}_other`) };
    const used = await billing.hold({ ...call(), ...payer, keyCap: null, amount: nanos(100n) });
    await billing.capture(used, charge(70n, payer));
    const open = await billing.hold({ ...call(), ...payer, keyCap: null, amount: nanos(40n) });
    await billing.hold({ ...call(), ...other, keyCap: null, amount: nanos(500n) });
    const hold = await billing.hold({
      ...call(),
      ...payer,
      keyCap: nanos(120n),
      amount: nanos(100n),
      minimum: nanos(1n),
    });
    expect(hold.amount).toBe(10n);
    expect(await keyMonth(payer)).toMatchObject({ used: 70n, frozen: 50n });
    expect(await keyMonth(other)).toMatchObject({ used: 0n, frozen: 500n });
    await billing.capture(open, charge(40n, payer));
    expect(await keyMonth(payer)).toMatchObject({ used: 110n, frozen: 10n });
    expect(await ledger.verify()).toEqual([]);
  });

  test("counts what the key has used in this month, and nothing of the month before", async () => {
    let now = new Date("2026-05-15T12:00:00Z");
    const billing = replica(ledger.db, () => now);
    const payer = await customer(1_000n);
    const before = await billing.hold({ ...call(), ...payer, keyCap: null, amount: nanos(70n) });
    await billing.capture(before, charge(70n, payer));
    now = new Date("2026-06-15T12:00:00Z");
    await billing.hold({ ...call(), ...payer, keyCap: nanos(100n), amount: nanos(100n) });
    expect(await ledger.keyMonths([payer.keyId])).toEqual([
      { keyId: payer.keyId, period: "2026-06", used: 0n, frozen: 100n },
    ]);
  });

  test("counts a charge that is about to commit when the key's month is opened", async () => {
    const billing = replica();
    const payer = await customer(1_000n);
    const hold = await billing.hold({ ...call(), ...payer, keyCap: null, amount: nanos(100n) });
    let opening: Promise<unknown> = Promise.resolve();
    await transaction(ledger.db, async (tx) => {
      await sqlOf(tx)`select 1 from account_months where account_id = ${payer.accountId} for update`;
      opening = openPurse(second, { ...payer, period: PERIOD, keyCap: nanos(100n) });
      await waitFor(async () => (await ledger.waiters()) >= 1);
      await endHolds(tx, [{ ...hold, charge: charge(60n, payer) }]);
    });
    await opening;
    expect(await keyMonth(payer)).toMatchObject({ used: 60n, frozen: 0n });
    expect(await ledger.verify()).toEqual([]);
  });

  test("gives less than is asked for as an account's balance does, whichever is lower", async () => {
    const billing = replica();
    const payer = await customer(50n);
    const wish = { ...payer, amount: nanos(100n), minimum: nanos(10n) };
    expect((await billing.hold({ ...call(), ...wish, keyCap: nanos(30n) })).amount).toBe(30n);
    expect((await billing.hold({ ...call(), ...wish, keyCap: nanos(300n) })).amount).toBe(20n);
    const exhausted = billing.hold({ ...call(), ...wish, keyCap: nanos(300n) });
    // The account's money is gone: that is not the key's cap.
    await expect(exhausted).rejects.toMatchObject({ kind: "quotaExhausted" });
    await expect(exhausted).rejects.not.toMatchObject({ headers: { "x-quota-scope": "key" } });
  });

  test("of nothing refuses everything, and one that is lifted nothing", async () => {
    const billing = replica();
    const payer = await customer(100n);
    const wish = { ...payer, amount: nanos(10n) };
    await expect(billing.hold({ ...call(), ...wish, keyCap: nanos(0n) })).rejects.toMatchObject(refusal);
    const hold = await billing.hold({ ...call(), ...wish, keyCap: null });
    await billing.capture(hold, charge(10n, payer));
    expect(await keyMonth(payer)).toMatchObject({ used: 10n, frozen: 0n });
  });

  test("gets back what the dead froze of it, by the very call that needs it", async () => {
    const [dead, alive] = [replica(), replica()];
    const payer = await customer(1_000n);
    const lost = await dead.hold({ ...call(), ...payer, keyCap: nanos(100n), amount: nanos(100n) });
    await dead.close({ patienceMs: 0 });
    await ledger.expire([lost.requestId]);
    await alive.hold({ ...call(), ...payer, keyCap: nanos(100n), amount: nanos(100n) });
    expect(await keyMonth(payer)).toMatchObject({ used: 0n, frozen: 100n });
  });

  test("holds for money that is frozen within a transaction", async () => {
    const billing = replica();
    const payer = await customer(1_000n);
    const purse = { ...payer, period: PERIOD, keyCap: nanos(100n) };
    const freeze = (amount: bigint, requestId: string) =>
      transaction(ledger.db, (tx) => holdDurably(tx, { ...purse, requestId, amount: nanos(amount) }));
    expect(await freeze(80n, call().requestId)).toBe("unopened");
    await billing.openMonthsAndReclaim(purse);
    const { requestId } = call();
    expect(await freeze(80n, requestId)).toBeNull();
    expect(await freeze(30n, call().requestId)).toBe("key");
    expect(await freeze(2_000n, call().requestId)).toBe("account");
    await transaction(ledger.db, (tx) =>
      endDurableHold(tx, { ...purse, requestId }, { charge: charge(80n, payer) }),
    );
    expect(await keyMonth(payer)).toMatchObject({ used: 80n, frozen: 0n });
  });
});

/** Opens a key's month, and commits only once the statements of `work` wait for it: they began before it was there. */
async function whileOpening<T>(payer: Customer, work: () => Promise<T>): Promise<T> {
  let pending: Promise<T> | undefined;
  await transaction(second, async (tx) => {
    await openPurse(tx, { ...payer, period: PERIOD, keyCap: nanos(1n) });
    pending = work();
    pending.catch(() => {});
    await waitFor(async () => (await ledger.waiters()) >= 1);
  });
  return await (pending as Promise<T>);
}

describe("a statement that began before a key's month was opened", () => {
  test("charges the key nevertheless", async () => {
    const billing = replica();
    const payer = await customer(1_000n);
    const hold = await billing.hold({ ...call(), ...payer, keyCap: null, amount: nanos(100n) });
    await whileOpening(payer, () => billing.capture(hold, charge(60n, payer)));
    expect(await keyMonth(payer)).toMatchObject({ used: 60n, frozen: 0n });
    expect(await ledger.verify()).toEqual([]);
  });

  test("freezes the key's money nevertheless", async () => {
    const billing = replica();
    const payer = await customer(1_000n);
    await getBalance(ledger.db, { accountId: payer.accountId, period: PERIOD });
    await whileOpening(payer, () => billing.hold({ ...call(), ...payer, keyCap: null, amount: nanos(100n) }));
    expect(await keyMonth(payer)).toMatchObject({ used: 0n, frozen: 100n });
    expect(await ledger.verify()).toEqual([]);
  });
});
