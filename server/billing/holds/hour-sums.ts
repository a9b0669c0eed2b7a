/** The sums of charges by the hour, which the statements that end calls write together with the entries. */
import { randomInt } from "node:crypto";
import type { Fragment, ISql } from "postgres";

/** The shard of an hour's rows that this process adds to: another process's commit blocks ours one time in 64. */
const SHARD = randomInt(64);

/**
 * Adds charges to this hour's spend. `charged` has sums of charges, of one or of several: the account, period, key and
 * model, `calls`, `amount`, `all_input`, `output_tokens` and `cached_tokens`. The hour is that of the entry's timestamp,
 * which is rounded to the millisecond, also upward. It cannot deadlock: it is written after the new entries, and in one
 * order.
 */
export const addToHours = (sql: ISql, charged: Fragment): Fragment => sql`
  insert into spend_hours (
    account_id, period, hour, key_id, model_id, shard, calls, amount, input_tokens, output_tokens, cached_tokens,
    cached_of_tokens
  )
  select
    account_id, period, date_trunc('hour', now()::timestamptz(3), 'UTC'), key_id, model_id, ${SHARD}::smallint,
    sum(calls), sum(amount), sum(all_input), sum(output_tokens), sum(cached_tokens), sum(all_input)
  from ${charged} as charged
  group by 1, 2, 4, 5
  order by 1, 2, 4, 5
  on conflict (account_id, period, hour, key_id, model_id, shard) do update
  set calls = spend_hours.calls + excluded.calls, amount = spend_hours.amount + excluded.amount,
    input_tokens = spend_hours.input_tokens + excluded.input_tokens,
    output_tokens = spend_hours.output_tokens + excluded.output_tokens,
    cached_tokens = spend_hours.cached_tokens + excluded.cached_tokens,
    cached_of_tokens = spend_hours.cached_of_tokens + excluded.cached_of_tokens`;

/** The same for known costs, of `calls`, their `amount` and `cost`; written after the hours, in one order. */
export const addToCosts = (sql: ISql, charged: Fragment): Fragment => sql`
  insert into cost_hours (account_id, period, hour, channel_id, model_id, shard, calls, amount, cost)
  select
    account_id, period, date_trunc('hour', now()::timestamptz(3), 'UTC'), channel_id, model_id, ${SHARD}::smallint,
    sum(calls), sum(amount), sum(cost)
  from ${charged} as charged
  group by 1, 2, 4, 5
  order by 1, 2, 4, 5
  on conflict (account_id, period, hour, channel_id, model_id, shard) do update
  set calls = cost_hours.calls + excluded.calls, amount = cost_hours.amount + excluded.amount,
    cost = cost_hours.cost + excluded.cost`;

/** The rows of `addToHours` for one charge each. `source` has the settlement's columns. */
export const eachOfHours = (sql: ISql, source: Fragment): Fragment => sql`
  select account_id, period, coalesce(key_id, '') as key_id, coalesce(model_id, '') as model_id, 1 as calls,
    charge as amount, coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)
      + coalesce(cache_write_1h_tokens, 0) as all_input,
    coalesce(output_tokens, 0) as output_tokens, coalesce(cache_read_tokens, 0) as cached_tokens
  from ${source} as each
  where charge is not null`;

/** The same for `addToCosts`. */
export const eachOfCosts = (sql: ISql, source: Fragment): Fragment => sql`
  select account_id, period, coalesce(channel_id, '') as channel_id, coalesce(model_id, '') as model_id, 1 as calls,
    charge as amount, cost
  from ${source} as each
  where charge is not null and cost is not null`;
