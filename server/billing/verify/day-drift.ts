import { and, eq, inArray, lt, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { findDays } from "../usage/day-sums";
import { type Drift, MAX_DRIFTS, type MonthPart, type RawDrift, toDrift } from "./figures";

const { costDays, costHours, spendDays, spendHours } = tables;

/**
 * Compares the sums of whole days, which pages read, with the hours that they sum, by account and key, and by account
 * for amounts due to channels. Only of days that are summed: their hours change only in a repair, which sums them again
 * in the same commit. A change of the billing zone begins the sums anew; meanwhile nothing is compared.
 */
export async function findDayDrift(db: Db, part: MonthPart): Promise<Drift[]> {
  const days = await findDays(db);
  if (days === null) {
    return [];
  }
  const isSummed = (table: typeof spendDays | typeof spendHours | typeof costDays | typeof costHours) =>
    and(inArray(table.accountId, part.accountIds), eq(table.period, part.period), lt(table.hour, days.until));
  const rows = await ormOf(db).execute<RawDrift>(sql`
    with days as (
      select account_id, key_id, model_id, sum(calls) as calls, sum(amount) as amount
      from ${spendDays} where ${isSummed(spendDays)} group by 1, 2, 3
    ), hours as (
      select account_id, key_id, model_id, sum(calls) as calls, sum(amount) as amount
      from ${spendHours} where ${isSummed(spendHours)} group by 1, 2, 3
    ), day_costs as (
      select account_id, channel_id, model_id, sum(calls) as calls, sum(amount) as amount, sum(cost) as cost
      from ${costDays} where ${isSummed(costDays)} group by 1, 2, 3
    ), hour_costs as (
      select account_id, channel_id, model_id, sum(calls) as calls, sum(amount) as amount, sum(cost) as cost
      from ${costHours} where ${isSummed(costHours)} group by 1, 2, 3
    ), figures as (
      select account_id, nullif(key_id, '') as key_id, 'day_spend' as figure, days.amount as recorded,
        coalesce(hours.amount, 0) as recomputed
      from days full join hours using (account_id, key_id, model_id)
      where (days.amount, days.calls) is distinct from (hours.amount, hours.calls)
      union all
      select account_id, null, 'day_cost', day_costs.cost, coalesce(hour_costs.cost, 0)
      from day_costs full join hour_costs using (account_id, channel_id, model_id)
      where (day_costs.cost, day_costs.amount, day_costs.calls)
        is distinct from (hour_costs.cost, hour_costs.amount, hour_costs.calls)
    )
    select account_id as "accountId", key_id as "keyId", figure, recorded::text, recomputed::text
    from figures order by 1, 3, 2 limit ${MAX_DRIFTS}`);
  if (rows.length === 0) {
    return [];
  }
  const now = await findDays(db);
  const isSame = now !== null && now.timeZone === days.timeZone && now.until >= days.until;
  return isSame ? rows.map((row) => toDrift(row, part.period)) : [];
}
