import { beforeAll, describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import {
  type Billing,
  exportStatement,
  getBalance,
  type LedgerEntry,
  listPeriods,
  listStatement,
  resolveSpan,
  setMonthlyQuota,
  spanBefore,
  spendByDay,
  topUp,
  totalUsage,
  usageByGroup,
  usageOverTime,
} from "@/server/billing";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { UsageBy } from "@/server/domain/enums";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { allPages } from "@/tests/support/all-pages";
import { billingRoom } from "@/tests/support/billing-room";
import { branded } from "@/tests/support/branded";
import { chargeOf } from "@/tests/support/ledger";
import { sleep } from "@/tests/support/until";

const { room, ledger, replica } = billingRoom({ leaseSeconds: 5 });
let billing: Billing;
/** The billing of a process whose days begin at half hours in UTC. */
let ofHalfHours: Billing;
let serial = 0;
const period = "2026-05";

beforeAll(() => {
  billing = replica();
  ofHalfHours = replica({ timeZone });
});

const newAccount = () => room.account(1_000n);

async function pay(
  accountId: AccountId,
  keyId: KeyId,
  { amount, ...model }: { amount: bigint; modelId?: string },
) {
  const requestId = `req_spend_${serial++}`;
  const hold = await billing.hold({ requestId, accountId, keyId, keyCap: null, amount: nanos(amount) });
  await billing.capture(hold, { ...chargeOf(amount), ...model });
  return requestId;
}

/** Moves an account's charges to another hour, as if they had happened then. */
const moveHours = async (accountId: AccountId, hour: string) => {
  await sqlOf(ledger.db)`update spend_hours set hour = ${hour} where account_id = ${accountId}`;
};

describe("spend", () => {
  test("is summed by day and model, of all keys or of one, and adds up to the month's used amount", async () => {
    const accountId = await newAccount();
    const [firstKey, secondKey]: [KeyId, KeyId] = [branded(`${accountId}_1`), branded(`${accountId}_2`)];
    await Promise.all([
      pay(accountId, firstKey, { amount: 10n, modelId: "a" }),
      pay(accountId, firstKey, { amount: 20n, modelId: "a" }),
      pay(accountId, firstKey, { amount: 5n, modelId: "b" }),
      pay(accountId, secondKey, { amount: 7n, modelId: "a" }),
    ]);
    await moveHours(accountId, "2026-05-09T23:00:00Z");
    const filter = { accountId, period, timeZone: "UTC" };
    const day = { day: "2026-05-09", modelId: "a", calls: 3, amount: 37n, inputTokens: 3, outputTokens: 3 };
    const ofB = { day: "2026-05-09", modelId: "b", calls: 1, amount: 5n, inputTokens: 1, outputTokens: 1 };
    expect(await spendByDay(ledger.db, filter)).toEqual([day, ofB]);
    expect(await spendByDay(ledger.db, { ...filter, keyId: secondKey })).toEqual([
      { ...day, calls: 1, amount: 7n, inputTokens: 1, outputTokens: 1 },
    ]);
    // The next day has begun in that time zone.
    expect(await spendByDay(ledger.db, { ...filter, timeZone: "Asia/Shanghai" })).toEqual([
      { ...day, day: "2026-05-10" },
      { ...ofB, day: "2026-05-10" },
    ]);
    expect(await getBalance(ledger.db, { accountId, period })).toMatchObject({ used: 42n });
    const everybody = await spendByDay(ledger.db, { period, timeZone: "UTC" });
    expect(everybody.find((each) => each.day === day.day && each.modelId === "b")?.amount).toBe(5n);
  });

  test("after the month's end counts for its last day if the call began before", async () => {
    const accountId = await newAccount();
    await pay(accountId, branded("key"), { amount: 10n });
    await moveHours(accountId, "2026-06-01T00:00:00Z");
    const days = await spendByDay(ledger.db, { accountId, period, timeZone: "UTC" });
    expect(days).toMatchObject([{ day: "2026-05-31", amount: 10n }]);
  });
});

describe("a statement", () => {
  test("has every entry of its month once, newest first, whatever the size of a page", async () => {
    const accountId = await newAccount();
    const paid: string[] = [];
    for (let index = 0; index < 5; index++) {
      paid.unshift(await pay(accountId, branded("key"), { amount: 10n }));
      // Entries are ordered by milliseconds, and within one millisecond by their identifiers.
      await sleep(2);
    }
    await topUp(ledger.db, { accountId, period, amount: nanos(7n), reason: "thanks" });
    await topUp(ledger.db, { accountId, period: "2026-06", amount: nanos(1n), reason: "another month" });
    // The rest of the top-up went on into the next month.
    const kinds = ["carryover", "topup", ...paid.map(() => "capture"), "grant"];
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
      { period: "2026-06", topups: 8n, available: 1_008n },
      { period: "2026-05", topups: 0n, used: 50n, frozen: 0n, available: 950n },
    ]);
  });

  test("is exported in batches that omit nothing and repeat nothing", async () => {
    const accountId = await newAccount();
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
  test("is undone with its transaction, including its ledger entry", async () => {
    const accountId = await newAccount();
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

  test("has its reason in its entry", async () => {
    const month = { accountId: await newAccount(), period };
    await setMonthlyQuota(ledger.db, { ...month, quota: nanos(9n), reason: "smaller plan" });
    await setMonthlyQuota(ledger.db, { ...month, quota: nanos(8n) });
    const { rows } = await listStatement(ledger.db, { ...month, kind: "adjust" }, { limit: 50 });
    expect(rows.map((row) => row.note)).toEqual(["quota set", "smaller plan"]);
  });
});

const timeZone = "Asia/Kolkata";

type Paid = { keyId: KeyId; amount: bigint; modelId?: string; at: string; cacheReadTokens?: number };

/** A call, paid at a given moment: its sum is in that hour, as if the database's clock had been there, too. */
async function payAt(accountId: AccountId, { keyId, amount, at, modelId = "a", cacheReadTokens = 0 }: Paid) {
  room.clock.now = new Date(at);
  const requestId = `req_spend_${serial++}`;
  const hold = await ofHalfHours.hold({ requestId, accountId, keyId, keyCap: null, amount: nanos(amount) });
  const charge = chargeOf(amount);
  await ofHalfHours.capture(hold, {
    ...charge,
    modelId,
    usage: charge.usage && { ...charge.usage, cacheReadTokens },
  });
  await sqlOf(ledger.db)`
    update spend_hours set hour = date_trunc('hour', ${at}::timestamptz)
    where account_id = ${accountId} and key_id = ${keyId} and model_id = ${modelId} and period = ${hold.period}`;
}

const usageOf = async (
  accountId: AccountId | undefined,
  by: UsageBy,
  query: Parameters<typeof resolveSpan>[0],
) => {
  const at = { now: new Date("2026-05-20T12:00:00Z"), timeZone };
  const span = resolveSpan(query, at);
  const scope = { accountId, span, before: spanBefore(span, at), timeZone };
  const rows = await usageByGroup(ledger.db, { ...scope, by, limit: 10 });
  const ids = rows.slice(0, 1).map(({ id }) => id);
  return {
    total: await totalUsage(ledger.db, scope),
    rows,
    chart: await usageOverTime(ledger.db, { ...scope, by, ids }),
  };
};

const sums = (calls: number, amount: bigint) => ({
  ...{ calls, amount, inputTokens: calls },
  ...{ outputTokens: calls, cachedTokens: 0, cachedOfTokens: calls },
});

test("a month's usage equals what the ledger says was used, whatever the range and the grouping", async () => {
  const accountId = await newAccount();
  const [firstKey, secondKey]: [KeyId, KeyId] = [branded(`${accountId}_1`), branded(`${accountId}_2`)];
  await payAt(accountId, { keyId: firstKey, amount: 40n, at: "2026-04-10T08:00:00Z" });
  // In the month by only half an hour: the month begins at 18:30.
  await payAt(accountId, { keyId: firstKey, amount: 10n, at: "2026-04-30T18:45:00Z" });
  await payAt(accountId, { keyId: firstKey, amount: 20n, modelId: "b", at: "2026-05-14T10:00:00Z" });
  await payAt(accountId, { keyId: secondKey, amount: 5n, at: "2026-05-15T10:00:00Z" });
  // Charged after its month was over.
  await payAt(accountId, { keyId: secondKey, amount: 2n, modelId: "c", at: "2026-05-31T18:00:00Z" });
  await sqlOf(ledger.db)`
    update spend_hours set hour = '2026-05-31T20:00Z' where account_id = ${accountId} and model_id = 'c'`;
  const { used } = await getBalance(ledger.db, { accountId, period: "2026-05" });
  expect(used).toBe(37n);
  const spans = [{ range: "month" }, { from: "2026-05-01", to: "2026-05-31" }] as const;
  for (const by of ["model", "key", "key_model", "account"] as const) {
    for (const span of spans) {
      const { total, rows, chart } = await usageOf(accountId, by, span);
      expect([by, total.amount, total.calls]).toEqual([by, used, 4]);
      expect(rows.reduce((sum, row) => sum + row.amount, 0n)).toBe(used);
      const drawn = chart.series.flatMap(({ points }) => points.map(({ amount }) => amount));
      expect(drawn.reduce((sum: bigint, amount) => sum + amount, 0n)).toBe(used);
    }
  }
  const { total, rows } = await usageOf(accountId, "key", { range: "month" });
  expect(total).toEqual({ ...sums(4, 37n), before: sums(1, 40n) });
  expect(rows).toEqual([
    { id: firstKey, ...sums(2, 30n), before: sums(1, 40n) },
    { id: secondKey, ...sums(2, 7n), before: sums(0, 0n) },
  ]);
  const both = (await usageOf(accountId, "key_model", { range: "month" })).rows;
  expect(both.filter(({ calls }) => calls > 0).map(({ id, amount }) => [id, amount])).toEqual([
    [`${firstKey} b`, 20n],
    [`${firstKey} a`, 10n],
    [`${secondKey} a`, 5n],
    [`${secondKey} c`, 2n],
  ]);
  expect((await usageOf(accountId, "key", { range: "last-month" })).total).toMatchObject({ amount: 40n });
});

test("usage shows how much of the input was read from a cache, in total and by key", async () => {
  const accountId = await newAccount();
  const [firstKey, secondKey]: [KeyId, KeyId] = [branded(`${accountId}_1`), branded(`${accountId}_2`)];
  await payAt(accountId, { keyId: firstKey, amount: 9n, cacheReadTokens: 7, at: "2026-05-14T10:00:00Z" });
  await payAt(accountId, { keyId: secondKey, amount: 1n, at: "2026-05-14T10:00:00Z" });
  const { total, rows } = await usageOf(accountId, "key", { range: "month" });
  expect(total).toMatchObject({ inputTokens: 9, cachedTokens: 7, cachedOfTokens: 9 });
  expect(rows).toMatchObject([
    { id: firstKey, cachedTokens: 7, cachedOfTokens: 8 },
    { id: secondKey, cachedTokens: 0, cachedOfTokens: 1 },
  ]);
});

test("a day's usage has its own hours, the most expensive group first and all others as one", async () => {
  const accountId = await newAccount();
  const key: KeyId = branded(`${accountId}_1`);
  await payAt(accountId, { keyId: key, amount: 3n, modelId: "a", at: "2026-05-13T08:00:00Z" });
  await payAt(accountId, { keyId: key, amount: 20n, modelId: "b", at: "2026-05-14T10:00:00Z" });
  await payAt(accountId, { keyId: key, amount: 1n, modelId: "c", at: "2026-05-14T11:00:00Z" });
  const { total, rows, chart } = await usageOf(accountId, "model", { from: "2026-05-14", to: "2026-05-14" });
  expect(total).toMatchObject({ amount: 21n, before: { amount: 3n } });
  expect(rows.map(({ id, amount, before }) => [id, amount, before.amount])).toEqual([
    ["b", 20n, 0n],
    ["c", 1n, 0n],
    ["a", 0n, 3n],
  ]);
  const drawn = chart.series.map(({ id, points }) => [
    id,
    points.flatMap(({ amount }, place) => (amount > 0n ? [[chart.points[place], amount]] : [])),
  ]);
  expect(drawn).toEqual([
    ["b", [["2026-05-14T10", 20n]]],
    [null, [["2026-05-14T11", 1n]]],
  ]);
});
