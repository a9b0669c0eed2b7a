import { beforeAll, expect, test } from "vitest";
import type { UsageBy } from "@/server/base/facts";
import type { AccountId, KeyId } from "@/server/base/ids";
import { nanos } from "@/server/base/money";
import {
  type Billing,
  getBalance,
  resolveSpan,
  spanBefore,
  totalUsage,
  usageByGroup,
  usageOverTime,
} from "@/server/billing";
import { sqlOf } from "@/server/db/handles";
import { billingRoom } from "@/tests/support/billing-room";
import { chargeOf } from "@/tests/support/ledger";
import { madeUp } from "../support/made-up";

let serial = 0;
const { room, ledger, replica } = billingRoom({ leaseSeconds: 5 });
/** Of half hours, where hours in UTC belong to two days. */
const timeZone = "Asia/Kolkata";

let billing: Billing;
beforeAll(() => {
  billing = replica({ timeZone });
});

const account = () => room.account(1_000n);

type Paid = { keyId: KeyId; amount: bigint; modelId?: string; at: string; cacheReadTokens?: number };

/** A call, paid at a moment: its sum is put under that hour, as if the database's clock had been there, too. */
async function pay(accountId: AccountId, { keyId, amount, at, modelId = "a", cacheReadTokens = 0 }: Paid) {
  room.clock.now = new Date(at);
  const requestId = `req_usage_${serial++}`;
  const hold = await billing.hold({ requestId, accountId, keyId, keyCap: null, amount: nanos(amount) });
  const charge = chargeOf(amount, "upstream", keyId);
  await billing.capture(hold, {
    ...charge,
    modelId,
    usage: charge.usage && { ...charge.usage, cacheReadTokens },
  });
  await sqlOf(ledger.db)`
    update spend_hours set hour = date_trunc('hour', ${at}::timestamptz)
    where account_id = ${accountId} and key_id = ${keyId} and model_id = ${modelId} and period = ${hold.period}`;
}

const read = async (
  accountId: AccountId | undefined,
  by: UsageBy,
  asked: Parameters<typeof resolveSpan>[0],
) => {
  const at = { now: new Date("2026-05-20T12:00:00Z"), timeZone };
  const span = resolveSpan(asked, at);
  const of = { accountId, span, before: spanBefore(span, at) };
  const rows = await usageByGroup(ledger.db, { ...of, by, limit: 10 });
  const ids = rows.slice(0, 1).map(({ id }) => id);
  return {
    total: await totalUsage(ledger.db, of),
    rows,
    chart: await usageOverTime(ledger.db, { ...of, by, ids, timeZone }),
  };
};

const sums = (calls: number, amount: bigint) => ({
  calls,
  amount,
  inputTokens: calls,
  outputTokens: calls,
  cachedTokens: 0,
  cachedOfTokens: calls,
});

test("a month's usage is what the ledger says was used, however it is asked for and grouped", async () => {
  const accountId = await account();
  const [one, two]: [KeyId, KeyId] = [madeUp(`${accountId}_1`), madeUp(`${accountId}_2`)];
  await pay(accountId, { keyId: one, amount: 40n, at: "2026-04-10T08:00:00Z" });
  // Of the month by its half hour: the month begins at 18:30.
  await pay(accountId, { keyId: one, amount: 10n, at: "2026-04-30T18:45:00Z" });
  await pay(accountId, { keyId: one, amount: 20n, modelId: "b", at: "2026-05-14T10:00:00Z" });
  await pay(accountId, { keyId: two, amount: 5n, at: "2026-05-15T10:00:00Z" });
  // Charged when its month was over.
  await pay(accountId, { keyId: two, amount: 2n, modelId: "c", at: "2026-05-31T18:00:00Z" });
  await sqlOf(ledger.db)`
    update spend_hours set hour = '2026-05-31T20:00Z' where account_id = ${accountId} and model_id = 'c'`;
  const { used } = await getBalance(ledger.db, { accountId, period: "2026-05" });
  expect(used).toBe(37n);
  const asked = [{ range: "month" }, { from: "2026-05-01", to: "2026-05-31" }] as const;
  for (const by of ["model", "key", "key_model", "account"] as const) {
    for (const span of asked) {
      const { total, rows, chart } = await read(accountId, by, span);
      expect([by, total.amount, total.calls]).toEqual([by, used, 4]);
      expect(rows.reduce((sum, row) => sum + row.amount, 0n)).toBe(used);
      const drawn = chart.series.flatMap(({ points }) => points.map(({ amount }) => amount));
      expect(drawn.reduce((sum: bigint, amount) => sum + amount, 0n)).toBe(used);
    }
  }
  const { total, rows } = await read(accountId, "key", { range: "month" });
  expect(total).toEqual({ ...sums(4, 37n), before: sums(1, 40n) });
  expect(rows).toEqual([
    { id: one, ...sums(2, 30n), before: sums(1, 40n) },
    { id: two, ...sums(2, 7n), before: sums(0, 0n) },
  ]);
  const both = (await read(accountId, "key_model", { range: "month" })).rows;
  expect(both.filter(({ calls }) => calls > 0).map(({ id, amount }) => [id, amount])).toEqual([
    [`${one} b`, 20n],
    [`${one} a`, 10n],
    [`${two} a`, 5n],
    [`${two} c`, 2n],
  ]);
  expect((await read(accountId, "key", { range: "last-month" })).total).toMatchObject({ amount: 40n });
});

test("of the input is told how much was read from a cache, in total and by key", async () => {
  const accountId = await account();
  const [one, two]: [KeyId, KeyId] = [madeUp(`${accountId}_1`), madeUp(`${accountId}_2`)];
  await pay(accountId, { keyId: one, amount: 9n, cacheReadTokens: 7, at: "2026-05-14T10:00:00Z" });
  await pay(accountId, { keyId: two, amount: 1n, at: "2026-05-14T10:00:00Z" });
  const { total, rows } = await read(accountId, "key", { range: "month" });
  expect(total).toMatchObject({ inputTokens: 9, cachedTokens: 7, cachedOfTokens: 9 });
  expect(rows).toMatchObject([
    { id: one, cachedTokens: 7, cachedOfTokens: 8 },
    { id: two, cachedTokens: 0, cachedOfTokens: 1 },
  ]);
});

test("a day has its own hours, the dearest group first and all others as one", async () => {
  const accountId = await account();
  const key: KeyId = madeUp(`${accountId}_1`);
  await pay(accountId, { keyId: key, amount: 3n, modelId: "a", at: "2026-05-13T08:00:00Z" });
  await pay(accountId, { keyId: key, amount: 20n, modelId: "b", at: "2026-05-14T10:00:00Z" });
  await pay(accountId, { keyId: key, amount: 1n, modelId: "c", at: "2026-05-14T11:00:00Z" });
  const { total, rows, chart } = await read(accountId, "model", { from: "2026-05-14", to: "2026-05-14" });
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
