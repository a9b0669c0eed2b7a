import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "@/server/access";
import { type Billing, createBilling, getBalance, type Hold, setMonthlyQuota } from "@/server/billing";
import { endHolds } from "@/server/billing/settlements";
import { createLog } from "@/server/log";
import { freshDatabase } from "@/tests/support/database";
import { chargeOf, type Ledger, openLedger } from "@/tests/support/ledger";
import { waitFor } from "@/tests/support/process";

let ledger: Ledger;
let now = new Date("2026-05-15T12:00:00Z");
const replicas: Billing[] = [];
let serial = 0;
const payer = (accountId: string) => ({
  requestId: `req_once_${serial++}`,
  accountId,
  keyId: "key_test",
  keyCap: null,
});

const replica = (leaseSeconds = 3): Billing => {
  const billing = createBilling({
    db: ledger.db,
    clock: () => now,
    timeZone: "UTC",
    log: createLog("silent"),
    leaseSeconds,
  });
  replicas.push(billing);
  return billing;
};

/** A new account; quota in nano-units. */
const account = async (quota: bigint) =>
  (await createAccount(ledger.db.orm, { name: `once ${serial++}`, monthlyQuotaNanos: quota })).id;

const balance = (accountId: string, period = "2026-05") => getBalance(ledger.db.orm, { accountId, period });

beforeAll(async () => {
  ledger = openLedger(await freshDatabase());
  await ledger.outlastStart(3);
});
afterAll(async () => {
  expect(await ledger.verify()).toEqual([]);
  await Promise.all(replicas.map((billing) => billing.close({ patienceMs: 0 })));
  await ledger.db.close();
});

type Locked<T> = { accountId: string; work: () => Promise<T>; until: () => Promise<boolean> };

/** Starts `work` while the account's months are locked, so that its statements wait, and unlocks them at `until`. */
async function whileLocked<T>({ accountId, work, until }: Locked<T>): Promise<T> {
  let pending: Promise<T> | undefined;
  await ledger.db.sql.begin(async (transaction) => {
    await transaction`select 1 from account_months where account_id = ${accountId} for update`;
    pending = work();
    pending.catch(() => {});
    await waitFor(until);
  });
  return await (pending as Promise<T>);
}

describe("a hold ends once, whoever ends it and when", () => {
  test("two captures in one batch: one charge, both succeed, and their neighbours do too", async () => {
    const billing = replica();
    const accountId = await account(1_000n);
    const [twice, other] = (await Promise.all(
      [1, 2].map(() => billing.hold({ ...payer(accountId), amount: 100n })),
    )) as [Hold, Hold];
    await Promise.all([
      billing.capture(twice, chargeOf(40n)),
      billing.capture(other, chargeOf(50n)),
      billing.capture(twice, chargeOf(40n)),
    ]);
    expect(await balance(accountId)).toMatchObject({ used: 90n, frozen: 0n });
    expect(await ledger.entriesOf(twice.requestId)).toHaveLength(1);
  });

  test("a capture and a release in one batch: the first one counts", async () => {
    const billing = replica();
    const accountId = await account(1_000n);
    const hold = await billing.hold({ ...payer(accountId), amount: 100n });
    const capture = billing.capture(hold, chargeOf(40n));
    billing.release(hold, "late");
    await capture;
    expect(await ledger.entriesOf(hold.requestId)).toMatchObject([{ kind: "capture", amount: "40" }]);

    const second = await billing.hold({ ...payer(accountId), amount: 100n });
    billing.release(second, "first");
    await expect(billing.capture(second, chargeOf(40n))).rejects.toMatchObject({ kind: "billingFailed" });
    expect(await ledger.entriesOf(second.requestId)).toMatchObject([{ kind: "release", amount: "100" }]);
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });

  test("a capture that is tried again while its first try is still to commit: one charge, and no error", async () => {
    const [first, second] = [replica(), replica()];
    const accountId = await account(1_000n);
    const hold = await first.hold({ ...payer(accountId), amount: 100n });
    await whileLocked({
      accountId,
      work: () => Promise.all([first, second].map((billing) => billing.capture(hold, chargeOf(40n)))),
      until: async () => (await ledger.waiters()) >= 2,
    });
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect(await ledger.entriesOf(hold.requestId)).toHaveLength(1);
  });

  test("a capture that the sweeper came before is late, and charges once", async () => {
    const [alive, other] = [replica(), replica()];
    const accountId = await account(1_000n);
    const hold = await alive.hold({ ...payer(accountId), amount: 100n });
    await ledger.expire([hold.requestId]);
    expect(await other.sweep()).toBe(1);
    await Promise.all([alive, other, alive].map((billing) => billing.capture(hold, chargeOf(40n))));
    await alive.capture(hold, chargeOf(40n));
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect(await ledger.entriesOf(hold.requestId)).toMatchObject([
      { kind: "release", amount: "100", held: "100", note: "expired" },
      { kind: "capture", amount: "40", held: "0", note: "late" },
    ]);
  });

  test("a capture that waits while the sweeper releases its hold is late, and charges once", async () => {
    const [alive, sweeper] = [replica(), replica()];
    const accountId = await account(1_000n);
    const hold = await alive.hold({ ...payer(accountId), amount: 100n });
    await ledger.expire([hold.requestId]);
    await whileLocked({
      accountId,
      work: async () => {
        // In the queue for the lock, in this order: the capture's statement does not see what the sweeper's does.
        const swept = sweeper.sweep();
        await waitFor(async () => (await ledger.waiters()) >= 1);
        await Promise.all([swept, alive.capture(hold, chargeOf(40n))]);
      },
      until: async () => (await ledger.waiters()) >= 2,
    });
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect((await ledger.entriesOf(hold.requestId)).map(({ kind }) => kind)).toContain("capture");
  });

  test("nothing is charged late that was released for another reason", async () => {
    const [first, second] = [replica(), replica()];
    const accountId = await account(1_000n);
    const hold = await first.hold({ ...payer(accountId), amount: 100n });
    first.release(hold, "upstreams_unavailable");
    await waitFor(async () => (await balance(accountId)).frozen === 0n);
    await expect(second.capture(hold, chargeOf(40n))).rejects.toMatchObject({ kind: "billingFailed" });
    expect(await balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  });

  test("nothing is charged late that is being released for another reason just then", async () => {
    const [first, second] = [replica(), replica()];
    const accountId = await account(1_000n);
    const hold = await first.hold({ ...payer(accountId), amount: 100n });
    const outcome = await whileLocked({
      accountId,
      work: async () => {
        first.release(hold, "upstreams_unavailable");
        await waitFor(async () => (await ledger.waiters()) >= 1);
        return await second.capture(hold, chargeOf(40n)).then(
          () => "charged",
          (error: unknown) => error,
        );
      },
      until: async () => (await ledger.waiters()) >= 2,
    });
    expect(outcome).toMatchObject({ kind: "billingFailed" });
    expect(await balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  });

  test("nobody ends another account's", async () => {
    const billing = replica();
    const [accountId, other] = [await account(1_000n), await account(1_000n)];
    const hold = await billing.hold({ ...payer(accountId), amount: 100n });
    await balance(other);
    const wrong = { requestId: hold.requestId, accountId: other, period: hold.period, charge: null };
    expect(await endHolds(ledger.db.sql, [wrong])).toEqual(["gone"]);
    expect(await ledger.openHolds([hold.requestId])).toBe(1);
    await billing.capture(hold, chargeOf(40n));
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
    expect(await balance(other)).toMatchObject({ used: 0n, frozen: 0n });
  });

  test("a lease that is renewed while the sweeper waits keeps its money", async () => {
    const billing = replica();
    const accountId = await account(1_000n);
    const hold = await billing.hold({ ...payer(accountId), amount: 100n });
    await ledger.expire([hold.requestId]);
    const swept = await whileLocked({
      accountId,
      work: billing.sweep,
      // The renewal needs the hold's row only, which the sweeper has not reached.
      until: async () => (await ledger.waiters()) >= 1 && (await ledger.leaseOf(hold.requestId)) > 0,
    });
    expect(swept).toBe(0);
    await billing.capture(hold, chargeOf(40n));
    expect(await balance(accountId)).toMatchObject({ used: 40n, frozen: 0n });
  });

  test("a call that began last month is paid from last month", async () => {
    const billing = replica();
    const accountId = await account(1_000n);
    const hold = await billing.hold({ ...payer(accountId), amount: 100n });
    now = new Date("2026-06-01T00:00:00Z");
    const next = await billing.hold({ ...payer(accountId), amount: 1_000n });
    await billing.capture(hold, chargeOf(70n));
    await billing.capture(next, chargeOf(1_000n));
    now = new Date("2026-05-15T12:00:00Z");
    expect(await balance(accountId)).toMatchObject({ used: 70n, frozen: 0n });
    expect(await balance(accountId, "2026-06")).toMatchObject({ used: 1_000n, frozen: 0n, available: 0n });
  });
});

describe("nobody pays for another", () => {
  test("a charge that no column can hold fails alone", async () => {
    const billing = replica();
    const accountId = await account(1_000n);
    const holds = await Promise.all(
      Array.from({ length: 20 }, () => billing.hold({ ...payer(accountId), amount: 10n })),
    );
    const outcomes = await Promise.allSettled(
      holds.map((hold, index) => billing.capture(hold, chargeOf(index === 7 ? 10n ** 24n : 10n))),
    );
    expect(outcomes.flatMap((outcome, index) => (outcome.status === "rejected" ? [index] : []))).toEqual([7]);
    expect(await balance(accountId)).toMatchObject({ used: 190n, frozen: 10n });
    billing.release(holds[7] as Hold, "test");
    await waitFor(async () => (await balance(accountId)).frozen === 0n);
  });

  test("a call that the balance can pay is not refused for dearer ones that come before it all the time", async () => {
    const billing = replica();
    const accountId = await account(100n);
    let isOver = false;
    const refusals = new Set<unknown>();
    let waiting = 0;
    const dear = () =>
      billing
        .hold({ ...payer(accountId), amount: 1_000n })
        .catch((error: unknown) => refusals.add((error as { kind?: string }).kind))
        .finally(() => waiting--);
    // One more arrives at every turn of the event loop, so the queue is never without them.
    const crowd = (async () => {
      while (!isOver || waiting > 0) {
        if (!isOver && waiting < 100) {
          waiting++;
          void dear();
        }
        await new Promise(setImmediate);
      }
    })();
    const cheap: Hold[] = [];
    try {
      for (let index = 0; index < 50; index++) {
        cheap.push(await billing.hold({ ...payer(accountId), amount: 2n }));
      }
    } finally {
      isOver = true;
      await crowd;
    }
    expect(refusals).toEqual(new Set(["quotaExhausted"]));
    expect(await balance(accountId)).toMatchObject({ frozen: 100n, available: 0n });
    await Promise.all(cheap.map((hold) => billing.capture(hold, chargeOf(2n))));
  });
});

describe("money of the dead", () => {
  test("is found by the very call that needs it, however many calls died", async () => {
    const [dead, alive] = [replica(), replica()];
    const accountId = await account(1_200n);
    const lost = await Promise.all(
      Array.from({ length: 1_200 }, () => dead.hold({ ...payer(accountId), amount: 1n })),
    );
    await dead.close({ patienceMs: 0 });
    await ledger.expire(lost.map((hold) => hold.requestId));
    const hold = await alive.hold({ ...payer(accountId), amount: 1_200n });
    await alive.capture(hold, chargeOf(1_200n));
    expect(await balance(accountId)).toMatchObject({ used: 1_200n, frozen: 0n });
  });

  test("stays frozen for a lease after PostgreSQL came up: the living could not renew theirs while it was down", async () => {
    // Ten days: no PostgreSQL of these tests has been up for so long.
    const patient = replica(864_000);
    const accountId = await account(100n);
    const hold = await patient.hold({ ...payer(accountId), amount: 100n });
    await ledger.expire([hold.requestId]);
    expect(await patient.sweep()).toBe(0);
    await expect(patient.hold({ ...payer(accountId), amount: 100n })).rejects.toMatchObject({
      kind: "quotaExhausted",
    });
    expect(await balance(accountId)).toMatchObject({ frozen: 100n });
    expect(await replica().sweep()).toBe(1);
  });

  test("is found even when another process returns it in the middle of the call", async () => {
    const [dead, alive, other] = [replica(), replica(), replica()];
    const accountId = await account(100n);
    const lost = await dead.hold({ ...payer(accountId), amount: 100n });
    await dead.close({ patienceMs: 0 });
    await ledger.expire([lost.requestId]);
    const hold = await whileLocked({
      accountId,
      work: async () => {
        const wanted = alive.hold({ ...payer(accountId), amount: 100n });
        wanted.catch(() => {});
        // In the queue for the lock: first the call, then the sweeper of the other process.
        await waitFor(async () => (await ledger.waiters()) >= 1);
        await other.sweep();
        return await wanted;
      },
      until: async () => (await ledger.waiters()) >= 2,
    });
    await alive.capture(hold, chargeOf(100n));
    expect(await balance(accountId)).toMatchObject({ used: 100n, frozen: 0n });
  });
});

describe("a quota that is set", () => {
  test("stops at what is used and frozen, and never grants more than it takes", async () => {
    const billing = replica();
    const accountId = await account(100n);
    const set = (quota: bigint) => setMonthlyQuota(ledger.db.orm, { accountId, period: "2026-05", quota });
    const hold = await billing.hold({ ...payer(accountId), amount: 60n });
    expect(await set(10n)).toMatchObject({ quota: 60n, available: 0n });
    await billing.capture(hold, chargeOf(90n));
    // Its upstream drove the call above its hold: 90 used of 60.
    expect(await set(50n)).toMatchObject({ quota: 60n, available: -30n });
    expect(await set(70n)).toMatchObject({ quota: 70n, available: -20n });
    expect(await set(200n)).toMatchObject({ quota: 200n, available: 110n });
    expect(await set(0n)).toMatchObject({ quota: 90n, available: 0n });
  });
});
