import { and, eq, inArray, lt, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { dayOfHour } from "../usage/day-parts";
import { findDays, startsOfMonth } from "../usage/day-sums";
import { type Differences, type Drift, type DriftRow, firstOf, toDifferences } from "./drift";
import type { MonthPart } from "./figures";

const { costDays, costHours, spendDays, spendHours } = tables;

/** Whether only sums of days differ, which pages show and nothing is charged by. */
export const isOfDays = ({ figure }: Pick<Drift, "figure">): boolean =>
  figure === "day_spend" || figure === "day_cost";

/**
 * Compares the sums of whole days, which pages read, with the hours that they sum: each day's calls, money and tokens by
 * account, key and model, and amounts due to channels. Only of days that are summed: their hours change only in a repair,
 * which sums them again in the same commit. After a change of the billing zone all days are summed again; meanwhile nothing is
 * compared. The sums over all accounts are not compared.
 */
export async function findDayDrift(db: Db, part: MonthPart): Promise<Differences> {
  const days = await findDays(db);
  if (days === null) {
    return toDifferences([], part.period);
  }
  const isSummed = (table: typeof spendDays | typeof spendHours | typeof costDays | typeof costHours) =>
    and(inArray(table.accountId, part.accountIds), eq(table.period, part.period), lt(table.hour, days.until));
  const day = dayOfHour(startsOfMonth(part.period, days));
  const spent = sql`sum(calls) as calls, sum(amount) as amount, sum(input_tokens) as input, sum(output_tokens) as output,
    sum(cached_tokens) as cached, sum(cached_of_tokens) as cached_of`;
  const due = sql`sum(calls) as calls, sum(amount) as amount, sum(cost) as cost`;
  const rows = await ormOf(db).execute<DriftRow>(sql`
    with days as (
      select account_id, key_id, model_id, hour as day, ${spent}
      from ${spendDays} where ${isSummed(spendDays)} group by 1, 2, 3, 4
    ), hours as (
      select account_id, key_id, model_id, ${day} as day, ${spent}
      from ${spendHours} where ${isSummed(spendHours)} group by 1, 2, 3, 4
    ), day_costs as (
      select account_id, channel_id, model_id, hour as day, ${due}
      from ${costDays} where ${isSummed(costDays)} group by 1, 2, 3, 4
    ), hour_costs as (
      select account_id, channel_id, model_id, ${day} as day, ${due}
      from ${costHours} where ${isSummed(costHours)} group by 1, 2, 3, 4
    ), figures as (
      select account_id, nullif(key_id, '') as key_id, 'day_spend' as figure, days.amount as recorded,
        coalesce(hours.amount, 0) as recomputed
      from days full join hours using (account_id, key_id, model_id, day)
      where (days.calls, days.amount, days.input, days.output, days.cached, days.cached_of)
        is distinct from (hours.calls, hours.amount, hours.input, hours.output, hours.cached, hours.cached_of)
      union all
      select account_id, null, 'day_cost', day_costs.cost, coalesce(hour_costs.cost, 0)
      from day_costs full join hour_costs using (account_id, channel_id, model_id, day)
      where (day_costs.calls, day_costs.amount, day_costs.cost)
        is distinct from (hour_costs.calls, hour_costs.amount, hour_costs.cost)
    )
    ${firstOf(sql`figures`)} order by place`);
  if (rows.length === 0) {
    return toDifferences([], part.period);
  }
  const now = await findDays(db);
  const isSame = now !== null && now.timeZone === days.timeZone && now.until >= days.until;
  return toDifferences(isSame ? rows : [], part.period);
}
