import { and, asc, eq, lt, sql } from "drizzle-orm";
import type { Nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { floorHour } from "@/server/domain/days";
import type { AccountId } from "@/server/domain/ids";
import { createCalendar, periodBounds } from "@/server/domain/period";
import { availableOfMonth, figures, toBalance } from "../entries/balances";
import { summedRows } from "./summed-rows";

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
  const hours = await summedRows(db, "spend", {
    accountIds,
    span: { ...span, isFromStart: false, isToEnd: true },
    timeZone,
  });
  // A sum of a day does not say when the account's first charge was: its hours do, in each month along their key.
  const firstHours = [...new Set([span.firstPeriod, span.lastPeriod])].map(
    (month) => sql`(
      select min(hour) from ${spendHours}
      where account_id = summed.account_id and period = ${month} and hour >= ${floorHour(from).toISOString()}::timestamptz
    )`,
  );
  const pace = orm.$with("pace").as(
    orm
      .select({
        accountId: sql<AccountId>`summed.account_id`.as("account_id"),
        spent: sql`spent`.as("spent"),
        seconds: sql`greatest(extract(epoch from ${now.toISOString()}::timestamptz
          - least(${sql.join(firstHours, sql`, `)})), ${DAY_MS / 1000})`.as("seconds"),
      })
      .from(
        sql`(select account_id, sum(amount) as spent from ${hours} as hours group by 1 having sum(amount) > 0) as summed`,
      ),
  );
  const left = sql`greatest(${availableOfMonth}, 0) * ${pace.seconds} / ${pace.spent}`;
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
