import type { Nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type Drawn, type Settlement, type SettlementOutcome, SHARD, toRow } from "../settlements";

/** The end of a call that is paid out of an escrow. */
export type Draw = Settlement & { draw: Drawn };

/**
 * Ends a batch of calls that are paid out of escrows, each by a capture or a release, in one statement and one commit.
 * What they were charged is added to the escrow, of which their month learns when it is folded: no month is locked
 * while the disk is waited for. An escrow that is gone pays for nothing (`gone`: `endHolds` may charge late), and a
 * call that has ended before ends no second time. `inUseOf`: what an escrow's calls under way have of it now; null where
 * that is another process's. One that is ours has its lease renewed, since a renewal finds it locked by draws.
 *
 * - `asked`: the batch; of two ends of one call the first.
 * - `escrows`: those that are there. Nobody folds or sweeps one from here on.
 * - `entries`: what is put down in the ledger.
 * - `captured`: adds that to the escrows. `hours`: to this hour's spend.
 */
export async function drawOnEscrows(
  db: Db,
  draws: Draw[],
  { inUseOf, leaseSeconds }: { inUseOf: (escrowId: string) => Nanos | null; leaseSeconds: number },
): Promise<SettlementOutcome[]> {
  const sql = sqlOf(db);
  const firsts = new Map(draws.toReversed().map((draw) => [draw.requestId, draw]));
  const asked = [...firsts.values()].map((settlement) => ({
    ...toRow(settlement),
    escrow_id: settlement.draw.escrowId,
    held: settlement.draw.held.toString(),
    in_use: inUseOf(settlement.draw.escrowId)?.toString() ?? null,
  }));
  const escrowIds = [...new Set(draws.map(({ draw }) => draw.escrowId))];
  const rows = await sql<{ id: string; outcome: SettlementOutcome }[]>`
    with asked as (
      select * from json_to_recordset(${JSON.stringify(asked)}::text::json) as asked (
        request_id text, account_id text, period text, note text, charge bigint, key_id text, model_id text,
        channel_id text, prices jsonb, input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint,
        cache_write_1h_tokens bigint, output_tokens bigint, reasoning_tokens bigint, usage_source text,
        escrow_id text, held bigint, in_use bigint
      )
    ), escrows as (
      select request_id as escrow_id, account_id, period from holds
      where request_id = any(${escrowIds})
      order by request_id
      for update
    ), entries as (
      insert into ledger_entries (
        account_id, period, kind, amount, request_id, held, key_id, model_id, channel_id, prices, input_tokens,
        cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
        usage_source, note
      )
      select
        account_id, period, case when charge is null then 'release' else 'capture' end, coalesce(charge, held),
        request_id, held, key_id, model_id, channel_id, prices, input_tokens, cache_read_tokens, cache_write_tokens,
        cache_write_1h_tokens, output_tokens, reasoning_tokens, usage_source, note
      from asked join escrows using (escrow_id, account_id, period)
      on conflict (request_id, (kind = 'release' and note is not distinct from 'expired')) do nothing
      returning request_id, kind, account_id, period, key_id, model_id, amount, input_tokens, cache_read_tokens,
        cache_write_tokens, cache_write_1h_tokens, output_tokens
    ), captured as (
      update holds
      set captured = captured + total.charge, in_use = coalesce(total.in_use, holds.in_use),
        expires_at = case when total.in_use is null then expires_at else now() + make_interval(secs => ${leaseSeconds}) end
      from (
        select escrow_id, sum(case when entries.kind = 'capture' then amount else 0 end)::bigint as charge,
          min(in_use) as in_use
        from asked join entries using (request_id) group by 1
      ) as total
      where holds.request_id = total.escrow_id
    ), hours as (
      insert into spend_hours (
        account_id, period, hour, key_id, model_id, shard, calls, amount, input_tokens, output_tokens
      )
      select
        account_id, period, date_trunc('hour', now(), 'UTC'), coalesce(key_id, ''), coalesce(model_id, ''),
        ${SHARD}::smallint, count(*), sum(amount), sum(
          coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)
            + coalesce(cache_write_1h_tokens, 0)
        ), sum(coalesce(output_tokens, 0))
      from entries
      where kind = 'capture'
      group by 1, 2, 4, 5
      -- Two processes write several of these in one order.
      order by 1, 2, 4, 5
      on conflict (account_id, period, hour, key_id, model_id, shard) do update
      set calls = spend_hours.calls + excluded.calls, amount = spend_hours.amount + excluded.amount,
        input_tokens = spend_hours.input_tokens + excluded.input_tokens,
        output_tokens = spend_hours.output_tokens + excluded.output_tokens
    )
    select asked.request_id as id, case
      when entries.request_id is not null then 'ended'
      else coalesce((select kind from ledger_entries where request_id = asked.request_id order by kind limit 1), 'gone')
    end as outcome
    from asked left join entries using (request_id)`;
  const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]));
  return draws.map((draw) => {
    const outcome = outcomes.get(draw.requestId) ?? "gone";
    const first = firsts.get(draw.requestId);
    if (first === draw || outcome !== "ended") {
      return outcome;
    }
    return first?.charge === null ? "release" : "capture";
  });
}
