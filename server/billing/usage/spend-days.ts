import { and, inArray, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { floorHour } from "@/server/domain/days";
import type { AccountId } from "@/server/domain/ids";
import { createCalendar } from "@/server/domain/period";
import { isHourIn } from "./hours-in-span";

const { spendHours } = tables;

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;

type SpendDaysQuery = { now: Date; timeZone: string; daysBefore: number; accountIds: AccountId[] | null };

/**
 * For accounts that were charged in the last 24 hours, including the hour under way: the charges of these 24 hours, and
 * of each earlier period of 24 hours back to their first charge in `daysBefore` days. Latest first, in nano-units.
 */
export async function spendOfDays(
  db: Db,
  { now, timeZone, daysBefore, accountIds }: SpendDaysQuery,
): Promise<Map<AccountId, { spent: Nanos; before: Nanos[] }>> {
  const until = new Date(floorHour(now).getTime() + HOUR_MS);
  const from = new Date(until.getTime() - (daysBefore + 1) * DAY_SECONDS * 1000);
  const periodOf = createCalendar(timeZone);
  const span = { from, until, firstPeriod: periodOf(from), lastPeriod: periodOf(now) };
  const age = sql`extract(epoch from ${until.toISOString()}::timestamptz - ${spendHours.hour})::bigint`;
  const day = sql`(${age} - 1) / ${DAY_SECONDS}::bigint`.mapWith(Number).as("day");
  const rows = await ormOf(db)
    .select({ accountId: spendHours.accountId, day, amount: sql`sum(${spendHours.amount})`.mapWith(nanos) })
    .from(spendHours)
    .where(
      and(
        isHourIn(spendHours, { ...span, isFromStart: false, isToEnd: false }),
        accountIds === null ? undefined : inArray(spendHours.accountId, accountIds),
      ),
    )
    .groupBy(spendHours.accountId, day);
  const byAccount = new Map<AccountId, Map<number, Nanos>>();
  for (const row of rows) {
    const amounts = byAccount.get(row.accountId) ?? new Map<number, Nanos>();
    byAccount.set(row.accountId, amounts.set(row.day, row.amount));
  }
  return new Map(
    [...byAccount].flatMap(([accountId, amounts]) => {
      const spent = amounts.get(0);
      const first = Math.max(...amounts.keys());
      const before = Array.from({ length: first }, (_, place) => amounts.get(place + 1) ?? nanos(0n));
      return spent === undefined ? [] : [[accountId, { spent, before }] as const];
    }),
  );
}
