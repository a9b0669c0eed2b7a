import { and, eq, sql } from "drizzle-orm";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";

const { costHours, ledgerEntries } = tables;

/**
 * Corrects the hourly costs of a month: adds or subtracts the difference from its charges, in the hour's row with the
 * most calls. It reads one snapshot: a concurrent charge is in both sums or in neither.
 */
export async function repairCosts(
  tx: Tx,
  { accountId, period }: { accountId: AccountId; period: string },
): Promise<void> {
  const isMonth = (table: typeof ledgerEntries | typeof costHours) =>
    and(eq(table.accountId, accountId), eq(table.period, period));
  await ormOf(tx).execute(sql`
    with charged as (
      select date_trunc('hour', created_at, 'UTC') as hour, coalesce(channel_id, '') as channel_id,
        coalesce(model_id, '') as model_id, count(*) as calls, sum(amount) as amount, sum(cost) as cost
      from ${ledgerEntries} where ${isMonth(ledgerEntries)} and kind = 'capture' and cost is not null group by 1, 2, 3
    ), told as (
      select hour, channel_id, model_id, sum(calls) as calls, sum(amount) as amount, sum(cost) as cost,
        (array_agg(shard order by calls desc))[1] as shard
      from ${costHours} where ${isMonth(costHours)} group by 1, 2, 3
    ), missing as (
      select hour, channel_id, model_id, coalesce(told.shard, 0) as shard,
        coalesce(charged.calls, 0) - coalesce(told.calls, 0) as calls,
        coalesce(charged.amount, 0) - coalesce(told.amount, 0) as amount,
        coalesce(charged.cost, 0) - coalesce(told.cost, 0) as cost
      from charged full join told using (hour, channel_id, model_id)
    )
    insert into ${costHours} as hours (account_id, period, hour, channel_id, model_id, shard, calls, amount, cost)
    select ${accountId}, ${period}, hour, channel_id, model_id, shard, calls, amount, cost
    from missing where (calls, amount, cost) <> (0, 0, 0)
    order by 3, 4, 5
    on conflict (account_id, period, hour, channel_id, model_id, shard) do update
    set calls = hours.calls + excluded.calls, amount = hours.amount + excluded.amount,
      cost = hours.cost + excluded.cost`);
  await ormOf(tx).execute(sql`
    delete from ${costHours} where ${isMonth(costHours)} and (calls, amount, cost) = (0, 0, 0)`);
}
