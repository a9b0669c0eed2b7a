import { and, eq, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { findArchived } from "../closing";
import { sumDaysAgain } from "../usage/day-sums";
import { findDayDrift, isOfDays } from "./day-drift";
import type { Drift } from "./drift";
import { findDrift } from "./figures";
import { repairCosts } from "./repair-costs";

const { accountMonths, holds, keyMonths, ledgerCheckpoints, ledgerEntries, spendHours } = tables;

type RepairMonth = { accountId: AccountId; period: string };

/**
 * Figures that are sums and can be repaired. An overspent month, a charge that was refunded twice and half of a carry-over
 * are not: their entries say so.
 */
export const isSum = ({ figure }: Pick<Drift, "figure">): boolean =>
  figure !== "overspent" && figure !== "refunded" && figure !== "carried";

const isHour = ({ figure }: Drift) => figure === "spend";

const difference = (drift: Drift[], figure: Drift["figure"]): Nanos => {
  const match = drift.find((each) => each.figure === figure);
  return nanos(match ? match.recomputed - (match.recorded ?? 0n) : 0n);
};

/**
 * Restores the row of a month that was lost, if it has holds or entries, archived or not. The new row is empty, and
 * then differs. It counts keys if it has counted keys' months.
 */
async function restoreMonth(tx: Tx, { accountId, period }: RepairMonth): Promise<void> {
  const hasAny = (table: typeof ledgerEntries | typeof ledgerCheckpoints | typeof holds) => sql`
    exists (select 1 from ${table} where ${table.accountId} = ${accountId} and ${table.period} = ${period})`;
  const hasCounted = sql`
    exists (select 1 from ${keyMonths} where ${keyMonths.accountId} = ${accountId} and ${keyMonths.period} = ${period})`;
  await ormOf(tx).execute(sql`
    insert into ${accountMonths} (account_id, period, quota, counts_keys)
    select ${accountId}, ${period}, 0, ${hasCounted}
    where ${hasAny(ledgerEntries)} or ${hasAny(ledgerCheckpoints)} or ${hasAny(holds)}
    on conflict do nothing`);
}

async function repairMonthRow(tx: Tx, { accountId, period }: RepairMonth, drift: Drift[]): Promise<void> {
  const figures = ["quota", "topups", "used", "frozen", "outage"] as const;
  const [quota, topups, used, frozen, outage] = figures.map((figure) => difference(drift, figure));
  await ormOf(tx)
    .update(accountMonths)
    .set({
      quota: sql`${accountMonths.quota} + ${quota}`,
      topups: sql`${accountMonths.topups} + ${topups}`,
      used: sql`${accountMonths.used} + ${used}`,
      frozen: sql`${accountMonths.frozen} + ${frozen}`,
      outage: sql`${accountMonths.outage} + ${outage}`,
    })
    .where(and(eq(accountMonths.accountId, accountId), eq(accountMonths.period, period)));
}

async function repairKeyMonth(tx: Tx, key: RepairMonth & { keyId: KeyId }, drift: Drift[]): Promise<void> {
  const ofKey = drift.filter(({ keyId }) => keyId === key.keyId);
  const [used, frozen] = [difference(ofKey, "key_used"), difference(ofKey, "key_frozen")];
  await ormOf(tx)
    .insert(keyMonths)
    .values({ ...key, used, frozen })
    .onConflictDoUpdate({
      target: [keyMonths.accountId, keyMonths.period, keyMonths.keyId],
      set: { used: sql`${keyMonths.used} + ${used}`, frozen: sql`${keyMonths.frozen} + ${frozen}` },
    });
}

/** The missing part of an hour's sums for one key and model, as PostgreSQL writes it. */
type HourRow = Record<
  "hour" | "key_id" | "model_id" | "shard" | "calls" | "amount" | "input_tokens" | "output_tokens",
  string
>;

/**
 * Finds what the hourly sums lack.
 *
 * - `charged`, `told`: the sums of the entries and of the hours, by hour, key and model.
 * - `missing`: the amounts to add, or (below zero) to subtract, in the hour's row with the most calls.
 */
async function findMissingHours(tx: Tx, { accountId, period }: RepairMonth): Promise<HourRow[]> {
  const isMonth = (table: typeof ledgerEntries | typeof spendHours) =>
    and(eq(table.accountId, accountId), eq(table.period, period));
  const rows = await ormOf(tx).execute<HourRow>(sql`
    with charged as (
      select date_trunc('hour', created_at, 'UTC') as hour, coalesce(key_id, '') as key_id,
        coalesce(model_id, '') as model_id, count(*) as calls, sum(amount) as amount,
        sum(
          coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)
            + coalesce(cache_write_1h_tokens, 0)
        ) as input_tokens, sum(coalesce(output_tokens, 0)) as output_tokens
      from ${ledgerEntries} where ${isMonth(ledgerEntries)} and kind = 'capture' group by 1, 2, 3
    ), told as (
      select hour, key_id, model_id, sum(calls) as calls, sum(amount) as amount, sum(input_tokens) as input_tokens,
        sum(output_tokens) as output_tokens, (array_agg(shard order by calls desc))[1] as shard
      from ${spendHours} where ${isMonth(spendHours)} group by 1, 2, 3
    ), missing as (
      select hour, key_id, model_id, coalesce(told.shard, 0) as shard,
        coalesce(charged.calls, 0) - coalesce(told.calls, 0) as calls,
        coalesce(charged.amount, 0) - coalesce(told.amount, 0) as amount,
        coalesce(charged.input_tokens, 0) - coalesce(told.input_tokens, 0) as input_tokens,
        coalesce(charged.output_tokens, 0) - coalesce(told.output_tokens, 0) as output_tokens
      from charged full join told using (hour, key_id, model_id)
    )
    select hour, key_id, model_id, shard, calls::text, amount::text, input_tokens::text, output_tokens::text
    from missing where (calls, amount, input_tokens, output_tokens) <> (0, 0, 0, 0)`);
  return [...rows];
}

async function repairHours(tx: Tx, { accountId, period }: RepairMonth, missing: HourRow[]): Promise<void> {
  await ormOf(tx).execute(sql`
    insert into ${spendHours} as hours (
      account_id, period, hour, key_id, model_id, shard, calls, amount, input_tokens, output_tokens
    )
    select ${accountId}, ${period}, hour, key_id, model_id, shard, calls, amount, input_tokens, output_tokens
    from json_to_recordset(${JSON.stringify(missing)}::text::json) as missing (
      hour timestamptz, key_id text, model_id text, shard smallint, calls bigint, amount bigint, input_tokens bigint,
      output_tokens bigint
    )
    order by 1, 2, 3, 4, 5
    on conflict (account_id, period, hour, key_id, model_id, shard) do update
    set calls = hours.calls + excluded.calls, amount = hours.amount + excluded.amount,
      input_tokens = hours.input_tokens + excluded.input_tokens,
      output_tokens = hours.output_tokens + excluded.output_tokens`);
  // Delete rows that were never charged and are now zero; a row that another transaction adds to meanwhile stays.
  await ormOf(tx).execute(sql`
    delete from ${spendHours}
    where ${spendHours.accountId} = ${accountId} and ${spendHours.period} = ${period}
      and (calls, amount, input_tokens, output_tokens) = (0, 0, 0, 0)`);
}

/** The figures that a repair has corrected, and those that it cannot correct: the first ones, if there are many. */
type Repair = { mended: Drift[]; left: Drift[] };

/** Splits the drift. The hour of a charge is known only from its entry, which may be archived. */
async function sortOut(tx: Tx, { accountId, period }: RepairMonth, drift: Drift[]): Promise<Repair> {
  const isArchived = (await findArchived(tx, { accountId, period })) !== null;
  const canMend = (each: Drift) => isSum(each) && !(isArchived && isHour(each));
  return { mended: drift.filter(canMend), left: drift.filter((each) => !canMend(each)) };
}

/**
 * Corrects the sums of one account's month by adding or subtracting the difference, under the month's lock. Every
 * change of money changes a sum and its parts in one commit, so a difference stays the same while calls continue, and
 * it is computed, including the hours, before the lock. Entries and holds are read and never written. Repeating it
 * changes nothing more, unless more figures differ than one repair reads: each corrects the first ones.
 */
export async function repairMonth(tx: Tx, month: RepairMonth): Promise<Repair> {
  const { accountId, period } = month;
  const orm = ormOf(tx);
  // Two repairs of one month would apply the difference twice.
  await orm.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`repair ${accountId} ${period}`}, 0))`,
  );
  await restoreMonth(tx, month);
  const part = { period, accountIds: [accountId] };
  const [money, days] = [await findDrift(tx, part), await findDayDrift(tx, part)];
  const repair = await sortOut(tx, month, [...money.drift, ...days.drift]);
  const sums = repair.mended;
  const keyIds = new Set(
    sums.flatMap(({ figure, keyId }) => (figure.startsWith("key_") && keyId !== null ? [keyId] : [])),
  );
  const hours = sums.some(isHour) ? await findMissingHours(tx, month) : [];
  // A difference of days alone is no reason to lock the month.
  if (!sums.every(isOfDays)) {
    await repairMonthRow(tx, month, sums);
    for (const keyId of keyIds) {
      await repairKeyMonth(tx, { ...month, keyId }, sums);
    }
  }
  if (sums.some(({ figure }) => figure === "cost")) {
    await repairCosts(tx, month);
  }
  if (hours.length > 0) {
    await repairHours(tx, month, hours);
  }
  if (sums.length > 0) {
    await sumDaysAgain(tx, month);
  }
  return repair;
}
