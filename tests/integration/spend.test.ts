import { beforeAll, describe, expect, test } from "vitest";
import type { AccountId, KeyId } from "@/server/base/ids";
import { nanos } from "@/server/base/money";
import {
  type Billing,
  exportStatement,
  getBalance,
  type LedgerEntry,
  listPeriods,
  listStatement,
  setMonthlyQuota,
  spendByDay,
  topUp,
} from "@/server/billing";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { allPages } from "@/tests/support/all-pages";
import { billingRoom } from "@/tests/support/billing-room";
import { chargeOf } from "@/tests/support/ledger";
import { madeUp } from "../support/made-up";

const { room, ledger, replica } = billingRoom({ leaseSeconds: 5 });
let billing: Billing;
let serial = 0;
const period = "2026-05";

beforeAll(() => {
  billing = replica();
});

const account = () => room.account(1_000n);

/** A call of a key, paid. */
async function pay(
  accountId: AccountId,
  keyId: KeyId,
  { amount, ...model }: { amount: bigint; modelId?: string },
) {
  const requestId = `req_spend_${serial++}`;
  const hold = await billing.hold({
    requestId,
    accountId,
    keyId,
    keyCap: null,
    amount: nanos(amount),
  });
  await billing.capture(hold, { ...chargeOf(amount, "upstream", keyId), ...model });
  return requestId;
}

/** Moves what an account was charged for to another hour, as if the clock had been there. */
const moveHours = async (accountId: AccountId, hour: string) => {
  await sqlOf(ledger.db)`update spend_hours set hour = ${hour} where account_id = ${accountId}`;
};

describe("what was spent", () => {
  test("is summed up by day and model, of all keys or of one, and adds up to what the month has used", async () => {
    const accountId = await account();
    const [one, two]: [KeyId, KeyId] = [madeUp(`${accountId}_1`), madeUp(`${accountId}_2`)];
    await Promise.all([
      pay(accountId, one, { amount: 10n, modelId: "a" }),
      pay(accountId, one, { amount: 20n, modelId: "a" }),
      pay(accountId, one, { amount: 5n, modelId: "b" }),
      pay(accountId, two, { amount: 7n, modelId: "a" }),
    ]);
    await moveHours(accountId, "2026-05-09T23:00:00Z");
    const filter = { accountId, period, timeZone: "UTC" };
    const day = { day: "2026-05-09", modelId: "a", calls: 3, amount: 37n, inputTokens: 3, outputTokens: 3 };
    const ofB = { day: "2026-05-09", modelId: "b", calls: 1, amount: 5n, inputTokens: 1, outputTokens: 1 };
    expect(await spendByDay(ledger.db, filter)).toEqual([day, ofB]);
    expect(await spendByDay(ledger.db, { ...filter, keyId: two })).toEqual([
      { ...day, calls: 1, amount: 7n, inputTokens: 1, outputTokens: 1 },
    ]);
    // The next day has begun there.
    expect(await spendByDay(ledger.db, { ...filter, timeZone: "Asia/Shanghai" })).toEqual([
      { ...day, day: "2026-05-10" },
      { ...ofB, day: "2026-05-10" },
    ]);
    expect(await getBalance(ledger.db, { accountId, period })).toMatchObject({ used: 42n });
    const everybody = await spendByDay(ledger.db, { period, timeZone: "UTC" });
    expect(everybody.find((each) => each.day === day.day && each.modelId === "b")?.amount).toBe(5n);
  });

  test("after the month's end by a call that began before it counts for the last day", async () => {
    const accountId = await account();
    await pay(accountId, madeUp("key"), { amount: 10n });
    await moveHours(accountId, "2026-06-01T00:00:00Z");
    const days = await spendByDay(ledger.db, { accountId, period, timeZone: "UTC" });
    expect(days).toMatchObject([{ day: "2026-05-31", amount: 10n }]);
  });
});

describe("a statement", () => {
  test("has every entry of its month once, newest first, whatever the size of a page", async () => {
    const accountId = await account();
    const paid: string[] = [];
    for (let index = 0; index < 5; index++) {
      paid.unshift(await pay(accountId, madeUp("key"), { amount: 10n }));
    }
    await topUp(ledger.db, { accountId, period, amount: nanos(7n), reason: "thanks" });
    await topUp(ledger.db, { accountId, period: "2026-06", amount: nanos(1n), reason: "another month" });
    const kinds = ["topup", ...paid.map(() => "capture"), "grant"];
    for (const limit of [1, 2, 7, 50]) {
      const rows = await allPages((cursor) =>
        listStatement(ledger.db, { accountId, period }, { cursor, limit }),
      );
      expect(rows.map((row) => row.kind)).toEqual(kinds);
      expect(rows.flatMap((row) => row.requestId ?? [])).toEqual(paid);
    }
    const ofKind = async (kind: LedgerEntry["kind"]) =>
      (await listStatement(ledger.db, { accountId, period, kind }, { limit: 50 })).rows;
    expect(await ofKind("topup")).toMatchObject([{ amount: 7n, note: "thanks" }]);
    expect(await ofKind("capture")).toHaveLength(5);
    expect(await ofKind("release")).toEqual([]);
    const exported: LedgerEntry[] = [];
    for await (const batch of exportStatement(ledger.db, { accountId, period })) {
      exported.push(...batch);
    }
    expect(exported.map((row) => row.kind)).toEqual([...kinds].reverse());
    expect(await listPeriods(ledger.db, accountId)).toMatchObject([
      { period: "2026-06", topups: 1n, available: 1_001n },
      { period: "2026-05", topups: 7n, used: 50n, frozen: 0n, available: 957n },
    ]);
  });

  test("is exported in batches that leave nothing out and nothing twice", async () => {
    const accountId = await account();
    await getBalance(ledger.db, { accountId, period });
    await sqlOf(ledger.db)`
      insert into ledger_entries (id, account_id, period, kind, amount)
      select 'ent_' || i, ${accountId}, ${period}, 'adjust', 0 from generate_series(1, 1100) as i`;
    const sizes: number[] = [];
    const ids = new Set<string>();
    for await (const batch of exportStatement(ledger.db, { accountId, period })) {
      sizes.push(batch.length);
      for (const { id } of batch) {
        ids.add(id);
      }
    }
    expect(sizes).toEqual([500, 500, 101]);
    expect(ids.size).toBe(1_101);
  });
});

describe("an operator's change of money", () => {
  test("is undone with the transaction that it is a part of, its ledger entry too", async () => {
    const accountId = await account();
    const month = { accountId, period };
    await expect(
      transaction(ledger.db, async (transaction) => {
        expect(await topUp(transaction, { ...month, amount: nanos(5n), reason: "x" })).toMatchObject({
          topups: 5n,
        });
        expect(await setMonthlyQuota(transaction, { ...month, quota: nanos(9n) })).toMatchObject({
          quota: 9n,
        });
        throw new Error("audit failed");
      }),
    ).rejects.toThrow("audit failed");
    expect(await getBalance(ledger.db, month)).toMatchObject({ quota: 1_000n, topups: 0n });
    expect((await listStatement(ledger.db, month, { limit: 50 })).rows).toMatchObject([{ kind: "grant" }]);
  });

  test("says why in its entry", async () => {
    const month = { accountId: await account(), period };
    await setMonthlyQuota(ledger.db, { ...month, quota: nanos(9n), reason: "smaller plan" });
    await setMonthlyQuota(ledger.db, { ...month, quota: nanos(8n) });
    const { rows } = await listStatement(ledger.db, { ...month, kind: "adjust" }, { limit: 50 });
    expect(rows.map((row) => row.note)).toEqual(["quota set", "smaller plan"]);
  });
});
