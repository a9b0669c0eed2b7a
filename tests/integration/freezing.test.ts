import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { type Hold, holdDurably, payDurably } from "@/server/billing";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { billingRoom } from "@/tests/support/billing-room";
import { chargeOf } from "@/tests/support/ledger";
import { expectRefused, promised } from "@/tests/support/refusal";
import { until } from "@/tests/support/until";

const { room, ledger, replica } = billingRoom({ leaseSeconds: 3 });

describe("the freeze", () => {
  test("serves the calls of one moment in order, each from what the earlier ones left", async () => {
    const billing = replica();
    const accountId = await room.account(100n);
    await room.balance(accountId);
    const holds = [60n, 60n, 30n].map((amount) =>
      billing.hold({ ...room.payer(accountId), amount: nanos(amount) }),
    );
    const outcomes = await Promise.allSettled(holds);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await room.balance(accountId)).toMatchObject({ frozen: 90n, available: 10n });
  });

  test("refuses a ceiling that no column can hold like any other that is too high", async () => {
    const billing = replica();
    const accountId = await room.account(1_000n);
    await expectRefused(
      promised(() => billing.hold({ ...room.payer(accountId), amount: nanos(10n ** 24n) })),
      "quotaExhausted",
    );
    const hold = await billing.hold({
      ...room.payer(accountId),
      amount: nanos(10n ** 24n),
      minimum: nanos(10n),
    });
    expect(hold.amount).toBe(1_000n);
    await billing.capture(hold, chargeOf(1_000n));
  });

  test("returns at once what it froze after its call gave up, and not only when its lease ends", async () => {
    const billing = replica({ leaseSeconds: 60 });
    const accountId = await room.account(100n);
    await room.balance(accountId);
    await sqlOf(ledger.db).begin(async (sql) => {
      await sql`select 1 from account_months where account_id = ${accountId} for update`;
      const late = billing.hold({ ...room.payer(accountId), amount: nanos(60n) });
      await expectRefused(late, "unavailable");
    });
    await until(async () => {
      const [entry] = await sqlOf(ledger.db)<{ note: string }[]>`
        select note from ledger_entries where account_id = ${accountId} and kind = 'release'`;
      return entry?.note === "late hold";
    });
    expect(await room.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  });

  test("grants an affordable call although calls that are too dear arrive before it all the time", async () => {
    const billing = replica();
    const accountId = await room.account(100n);
    let isOver = false;
    const refusals = new Set<unknown>();
    let waiting = 0;
    const dear = () =>
      promised(() => billing.hold({ ...room.payer(accountId), amount: nanos(1_000n) }))
        .catch((error: unknown) => refusals.add((error as { kind?: string }).kind))
        .finally(() => waiting--);
    // One more call arrives in every turn of the event loop, so the queue is never empty.
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
        cheap.push(await billing.hold({ ...room.payer(accountId), amount: nanos(2n) }));
      }
    } finally {
      isOver = true;
      await crowd;
    }
    expect(refusals).toEqual(new Set(["quotaExhausted"]));
    expect(await room.balance(accountId)).toMatchObject({ frozen: 100n, available: 0n });
    await Promise.all(cheap.map((hold) => billing.capture(hold, chargeOf(2n))));
  });
});

describe("frozen money", () => {
  test("of dead processes is returned for the very call that needs it, however many calls died", async () => {
    const [dead, alive] = [replica(), replica()];
    const accountId = await room.account(1_200n);
    const lost: Hold[] = [];
    // In groups, so that no hold waits for 1,199 others: a hold gives up after ten seconds.
    while (lost.length < 1_200) {
      const group = Array.from({ length: 100 }, () =>
        dead.hold({ ...room.payer(accountId), amount: nanos(1n) }),
      );
      lost.push(...(await Promise.all(group)));
    }
    await dead.close({ patienceMs: 0 });
    await ledger.expire(lost.map((hold) => hold.requestId));
    const hold = await alive.hold({ ...room.payer(accountId), amount: nanos(1_200n) });
    await alive.capture(hold, chargeOf(1_200n));
    expect(await room.balance(accountId)).toMatchObject({ used: 1_200n, frozen: 0n });
  });

  test("of a dead process stays frozen for a lease after PostgreSQL started, because no process could renew while it was down", async () => {
    // Ten days: no PostgreSQL of these tests has run for so long.
    const patient = replica({ leaseSeconds: 864_000 });
    const accountId = await room.account(100n);
    const hold = await patient.hold({ ...room.payer(accountId), amount: nanos(100n) });
    await ledger.expire([hold.requestId]);
    expect(await patient.sweep()).toBe(0);
    await expectRefused(patient.hold({ ...room.payer(accountId), amount: nanos(100n) }), "quotaExhausted");
    expect(await room.balance(accountId)).toMatchObject({ frozen: 100n });
    expect(await replica().sweep()).toBe(1);
  });

  test("of a dead process is found even if another process returns it during the call", async () => {
    const [dead, alive, other] = [replica(), replica(), replica()];
    const accountId = await room.account(100n);
    const lost = await dead.hold({ ...room.payer(accountId), amount: nanos(100n) });
    await dead.close({ patienceMs: 0 });
    await ledger.expire([lost.requestId]);
    const hold = await room.whileLocked({
      accountId,
      work: async () => {
        const promise = promised(() => alive.hold({ ...room.payer(accountId), amount: nanos(100n) }));
        promise.catch(() => {});
        // The order in the queue for the lock: first the call, then the sweeper of the other process.
        await until(async () => (await ledger.waiters()) >= 1);
        await other.sweep();
        return await promise;
      },
      until: async () => (await ledger.waiters()) >= 2,
    });
    await alive.capture(hold, chargeOf(100n));
    expect(await room.balance(accountId)).toMatchObject({ used: 100n, frozen: 0n });
  });

  test("of a video is returned by no sweep within years, because it outlives its process", async () => {
    const accountId = await room.account(100n);
    await room.balance(accountId);
    const want = { ...room.payer(accountId), period: "2026-05", amount: nanos(60n) };
    await transaction(ledger.db, (tx) => holdDurably(tx, want));
    const years = (await ledger.leaseOf(want.requestId)) / (365 * 86_400);
    expect(years).toBeGreaterThan(10);
    await replica().sweep();
    expect(await room.balance(accountId)).toMatchObject({ frozen: 60n });
  });

  test("of a video comes from the next month if that begins between two tries, even if no process has opened it", async () => {
    const billing = replica();
    const accountId = await room.account(100n);
    const periods: string[] = [];
    const spend = (amount: bigint) => {
      const { requestId, ...buyer } = room.payer(accountId);
      return payDurably(billing, buyer, (payer) =>
        transaction(ledger.db, async (tx) => {
          periods.push(payer.period);
          // Whatever month this try finds, the next one is in June.
          room.clock.now = new Date("2026-06-01T00:00:01Z");
          await holdDurably(tx, { ...payer, requestId, amount: nanos(amount) });
        }),
      );
    };
    const may = room.clock.now;
    try {
      await spend(60n);
      expect(periods).toEqual(["2026-05", "2026-06", "2026-06"]);
      expect(await room.balance(accountId, "2026-06")).toMatchObject({ frozen: 60n });
      await expectRefused(spend(60n), "quotaExhausted");
    } finally {
      room.clock.now = may;
    }
  });
});
