/**
 * Sums of whole days, from which pages read months. A day's hours change no more once they are over, except by a repair:
 * charges are added to the hour in which they commit.
 */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Db, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { dayOf, daysLater } from "@/server/domain/days";
import type { AccountId } from "@/server/domain/ids";
import { currentPeriod, periodAfter, periodBounds } from "@/server/domain/period";
import { dayOfHour, dayWith, firstHourOf } from "./day-parts";

const { costDays, costHours, costTotals, daySums, spendDays, spendHours, spendTotals } = tables;

const DAY_MS = 86_400_000;
/**
 * An hour may be dated so long before its month: by some moments, or by a day if the billing zone has changed since.
 */
const BEFORE_MONTH_MS = 2 * DAY_MS;
/** Far longer than any transaction that ends calls, and than two clocks differ. */
const SETTLED_MS = 2 * 3_600_000;
/** The row's name. */
const DAYS = "days";

/** The advisory lock of all that write the sums. */
export const DAY_SUMS_LOCK = "day sums";

/** One at a time: a repair, and the pass that sums the next day. */
const takeTurn = (tx: Tx) =>
  ormOf(tx).execute(sql`select pg_advisory_xact_lock(hashtextextended(${DAY_SUMS_LOCK}, 0))`);

/** The zone of the summed days, and the hour up to which days are summed. null: no day is summed. */
export const findDays = async (db: Db): Promise<{ timeZone: string; until: Date } | null> =>
  (await ormOf(db).select().from(daySums).where(eq(daySums.name, DAYS)))[0] ?? null;

/** The hour up to which days are summed. null: no day is summed, or the sums are of another zone's days. */
export async function findSummedUntil(db: Db, timeZone: string): Promise<Date | null> {
  const row = await findDays(db);
  return row?.timeZone === timeZone ? row.until : null;
}

/** Adds the hours of some days, whose first hours are `starts`. */
async function addDays(
  tx: Tx,
  { starts, where }: { starts: Date[]; where: (hours: HourTable) => SQL | undefined },
) {
  const day = dayOfHour(starts);
  await ormOf(tx).execute(sql`
    insert into ${spendDays} (
      account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens, cached_tokens,
      cached_of_tokens
    )
    select account_id, period, ${day}, key_id, model_id, sum(calls), sum(amount), sum(input_tokens),
      sum(output_tokens), sum(cached_tokens), sum(cached_of_tokens)
    from ${spendHours} where ${where(spendHours)} group by 1, 2, 3, 4, 5`);
  await ormOf(tx).execute(sql`
    insert into ${costDays} (account_id, period, hour, channel_id, model_id, calls, amount, cost)
    select account_id, period, ${day}, channel_id, model_id, sum(calls), sum(amount), sum(cost)
    from ${costHours} where ${where(costHours)} group by 1, 2, 3, 4, 5`);
}

/** Adds hours to the sums over all accounts. */
async function addTotals(tx: Tx, where: (hours: HourTable) => SQL | undefined) {
  await ormOf(tx).execute(sql`
    insert into ${spendTotals} (
      period, hour, model_id, calls, amount, input_tokens, output_tokens, cached_tokens, cached_of_tokens
    )
    select period, hour, model_id, sum(calls), sum(amount), sum(input_tokens), sum(output_tokens), sum(cached_tokens),
      sum(cached_of_tokens)
    from ${spendHours} where ${where(spendHours)} group by 1, 2, 3`);
  await ormOf(tx).execute(sql`
    insert into ${costTotals} (period, hour, channel_id, model_id, calls, amount, cost)
    select period, hour, channel_id, model_id, sum(calls), sum(amount), sum(cost)
    from ${costHours} where ${where(costHours)} group by 1, 2, 3, 4`);
}

type HourTable = typeof spendHours | typeof costHours;

const inHours = (table: HourTable, from: Date, until: Date) =>
  sql`${table.hour} >= ${from.toISOString()}::timestamptz and ${table.hour} < ${until.toISOString()}::timestamptz`;

const beforeMonth = (period: string, timeZone: string) =>
  new Date(periodBounds(period, timeZone).start.getTime() - BEFORE_MONTH_MS);

/** The months that have hours, so that a day is found along the index that begins with the month. */
async function monthsWithHours(tx: Tx, timeZone: string): Promise<string[]> {
  const [row] = await ormOf(tx).execute<{ first: string | null; now: string }>(sql`
    select min(period) as first, now() as now from ${spendHours}`);
  const months: string[] = [];
  const last = row ? currentPeriod(timeZone, new Date(new Date(row.now).getTime() + 2 * DAY_MS)) : "";
  for (let month = row?.first; month && month <= last; month = periodAfter(month)) {
    months.push(month);
  }
  return months;
}

/**
 * Sums the next day that is over. Returns how many days it has summed, 0 or 1: a caller repeats it. It sums each day once,
 * because the row that says so is written with the sums.
 */
export async function sumNextDay(db: Db, timeZone: string): Promise<number> {
  return await transaction(db, async (tx) => {
    await takeTurn(tx);
    const row = await findDays(tx);
    const orm = ormOf(tx);
    if (row !== null && row.timeZone !== timeZone) {
      for (const table of [spendDays, costDays, spendTotals, costTotals, daySums]) {
        await orm.execute(sql`delete from ${table}`);
      }
    }
    const months = await monthsWithHours(tx, timeZone);
    const [first] = months;
    if (first === undefined) {
      return 0;
    }
    const begin = dayWith(beforeMonth(first, timeZone), timeZone);
    const from = row?.timeZone === timeZone ? row.until : begin;
    const until = firstHourOf(daysLater(dayOf(new Date(from.getTime() + DAY_MS / 2), timeZone), 1), timeZone);
    const [isOver] = await orm.execute<{ is: boolean }>(
      sql`select now() >= ${new Date(until.getTime() + SETTLED_MS).toISOString()}::timestamptz as is`,
    );
    if (!isOver?.is) {
      return 0;
    }
    const ofMonths = (table: HourTable) =>
      and(sql`${table.period} = any(${sql.param(months)}::text[])`, inHours(table, from, until));
    await addDays(tx, { starts: [from], where: ofMonths });
    await addTotals(tx, ofMonths);
    await orm
      .insert(daySums)
      .values({ name: DAYS, timeZone, until })
      .onConflictDoUpdate({ target: daySums.name, set: { timeZone, until } });
    return 1;
  });
}

/** The first hours of the days in which a month's hours may be, up to the last day before `until`. */
export function startsOfMonth(
  period: string,
  { timeZone, until }: { timeZone: string; until: Date },
): Date[] {
  const starts: Date[] = [];
  for (let day = dayOf(beforeMonth(period, timeZone), timeZone); ; day = daysLater(day, 1)) {
    const first = firstHourOf(day, timeZone);
    if (first >= until) {
      return starts;
    }
    starts.push(first);
  }
}

/** Sums the days of an account's month again, and the month of all, after a repair of hours in the same transaction. */
export async function sumDaysAgain(
  tx: Tx,
  { accountId, period }: { accountId: AccountId; period: string },
): Promise<void> {
  await takeTurn(tx);
  const row = await findDays(tx);
  if (row === null) {
    return;
  }
  const orm = ormOf(tx);
  const { timeZone, until } = row;
  const isMonth = (table: HourTable | typeof spendDays | typeof costDays) =>
    and(eq(table.accountId, accountId), eq(table.period, period));
  await orm.delete(spendDays).where(isMonth(spendDays));
  await orm.delete(costDays).where(isMonth(costDays));
  await orm.delete(spendTotals).where(eq(spendTotals.period, period));
  await orm.delete(costTotals).where(eq(costTotals.period, period));
  const starts = startsOfMonth(period, { timeZone, until });
  const [first] = starts;
  if (first) {
    await addDays(tx, { starts, where: (table) => and(isMonth(table), inHours(table, first, until)) });
    await addTotals(tx, (table) => and(eq(table.period, period), inHours(table, first, until)));
  }
}
