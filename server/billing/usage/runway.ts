import { and, asc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { Nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { createCalendar, periodBounds } from "@/server/domain/period";
import { figures, frozenOfMonth, toBalance, usedOfMonth } from "../entries/balances";
import { isHourIn } from "./hours-in-span";

const { accountMonths, accounts, spendHours } = tables;

const DAY_MS = 86_400_000;
/**
 * The pace of spending is measured over the last week, or over the time since the account's first charge in it, at
 * least a day.
 */
const PACE_MS = 7 * DAY_MS;

/** An account whose money runs out before its month ends. `available` in nano-units. */
export type RunningOut = { accountId: AccountId; name: string; available: Nanos; lastsUntil: Date };

type RunwayQuery = { now: Date; timeZone: string; accountIds?: AccountId[]; limit: number };

/**
 * Accounts that would spend the rest of the month's money before the month ends, at their recent pace; the soonest
 * first.
 */
export async function findRunningOut(
  db: Db,
  { now, timeZone, accountIds, limit }: RunwayQuery,
): Promise<RunningOut[]> {
  const periodOf = createCalendar(timeZone);
  const period = periodOf(now);
  const from = new Date(now.getTime() - PACE_MS);
  const span = { from, until: now, firstPeriod: periodOf(from), lastPeriod: period };
  const orm = ormOf(db);
  const pace = orm.$with("pace").as(
    orm
      .select({
        accountId: spendHours.accountId,
        spent: sql`sum(${spendHours.amount})`.as("spent"),
        seconds:
          sql`greatest(extract(epoch from ${now.toISOString()}::timestamptz - min(${spendHours.hour})), ${
            DAY_MS / 1000
          })`.as("seconds"),
      })
      .from(spendHours)
      .where(
        and(
          isHourIn(spendHours, { ...span, isFromStart: false, isToEnd: true }),
          accountIds && inArray(spendHours.accountId, accountIds),
        ),
      )
      .groupBy(spendHours.accountId)
      .having(gt(sql`sum(${spendHours.amount})`, 0)),
  );
  const available = sql`${accountMonths.quota} + ${accountMonths.topups} - (${usedOfMonth}) - (${frozenOfMonth})`;
  const left = sql`greatest(${available}, 0) * ${pace.seconds} / ${pace.spent}`;
  const rest = (periodBounds(period, timeZone).end.getTime() - now.getTime()) / 1000;
  const rows = await orm
    .with(pace)
    .select({
      accountId: accounts.id,
      name: accounts.name,
      ...figures,
      left: left.mapWith(Number).as("left"),
    })
    .from(pace)
    .innerJoin(accounts, eq(accounts.id, pace.accountId))
    .innerJoin(accountMonths, and(eq(accountMonths.accountId, accounts.id), eq(accountMonths.period, period)))
    .where(and(eq(accounts.status, "active"), lt(left, rest)))
    .orderBy(asc(left), asc(accounts.id))
    .limit(limit);
  return rows.map(({ accountId, name, left: seconds, ...month }) => ({
    accountId,
    name,
    available: toBalance(month).available,
    lastsUntil: new Date(now.getTime() + seconds * 1000),
  }));
}
