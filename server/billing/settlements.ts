import { randomInt } from "node:crypto";
import type { UsageSource } from "@/server/base/facts";
import type { AccountId, ChannelId, KeyId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { Usage } from "@/server/protocol/usage";

/** What is charged. `usage` and its `source` are null where nothing is counted: a video has a price, no tokens. */
export type Charge = {
  amount: Nanos;
  usage: Usage | null;
  source: UsageSource | null;
  prices: Readonly<Record<string, Nanos>>;
  keyId: KeyId;
  modelId: string;
  channelId: ChannelId | null;
  /** What is out of the ordinary about it, for the ledger. */
  note?: string | undefined;
};

/** What a call has of an escrow. */
export type Drawn = { escrowId: string; held: Nanos };

export type Settlement = {
  requestId: string;
  accountId: AccountId;
  period: string;
  /** null: nothing is charged, the hold is returned. */
  charge: Charge | null;
  note?: string | undefined;
  /** Where the call is paid out of an escrow. */
  draw?: Drawn | undefined;
  /** The sweeper's: do nothing if the lease was renewed meanwhile. */
  onlyExpired?: boolean;
  /**
   * Charge although the hold is gone: when the sweeper took its process for dead (`released`), and also where nothing
   * at all is known of it (`missing`), because the database lost it in a crash.
   */
  late?: "released" | "missing";
};

/**
 * `ended`: by this one. `late`: charged by this one, after its hold was lost. Else by an earlier one: `capture` or
 * `release`, or `gone` when that committed too late to see.
 */
export type SettlementOutcome = "ended" | "late" | "capture" | "release" | "gone";

/** The note of a charge above its hold although the client had named a limit. */
export const ABOVE_HOLD = "above hold";

/** The note of a charge of which a part was another model's work, at the price of the one that was called. */
export const OTHER_MODEL = "other model";

/** The note of a charge that came after its hold was lost. */
export const LATE = "late";

/** Which of an hour's rows this process adds to: another process's commit keeps ours waiting one time in 64. */
export const SHARD = randomInt(64);

/** What the sweeper writes beside a release; only such a release may have a late capture after it. */
export const EXPIRED = "expired";

const text = (prices: Charge["prices"]) =>
  Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, price.toString()]));

export function toRow(settlement: Settlement) {
  const { charge } = settlement;
  return {
    request_id: settlement.requestId,
    account_id: settlement.accountId,
    period: settlement.period,
    note: settlement.note ?? null,
    only_expired: settlement.onlyExpired ?? false,
    late: settlement.late ?? null,
    ...(charge && {
      charge: charge.amount.toString(),
      key_id: charge.keyId,
      model_id: charge.modelId,
      channel_id: charge.channelId,
      prices: text(charge.prices),
      usage_source: charge.source,
      ...(charge.usage && {
        input_tokens: charge.usage.inputTokens,
        cache_read_tokens: charge.usage.cacheReadTokens,
        cache_write_tokens: charge.usage.cacheWriteTokens,
        cache_write_1h_tokens: charge.usage.cacheWrite1hTokens,
        output_tokens: charge.usage.outputTokens,
        reasoning_tokens: charge.usage.reasoningTokens,
      }),
    }),
  };
}

/**
 * Ends a batch of holds, each by a capture or a release, in one statement and one commit. A hold's row is deleted as
 * it ends and its ledger entries are unique by request id and kind: done twice, the second time changes nothing. What
 * is counted follows what was put down: a hold that was taken again and is released a second time has its release
 * already.
 *
 * - `asked`: the batch, in its order; `firsts`: of two ends of one hold the first.
 * - `locked`: the months that are moved; whoever else moves one waits from here on. `held`: the holds that are there.
 * - `deleted`: the holds that end, unless only an expired one may and it was renewed; an escrow of the dead among them,
 *   of which a part (`captured`) was charged.
 * - `late`: charges whose hold is gone, where only a sweeper ended it or nothing at all is known of it.
 * - `ends`: both. `entries`: what they put down in the ledger, but for what is there already.
 * - `ended`: the ends that count: every hold that was deleted, and every late charge that was put down.
 * - `balances`, `key_balances`: moves what was held out of the months, and of the keys' months that are counted, and
 *   what was charged into them.
 * - `hours`: adds what was charged to this hour's spend.
 */
export async function endHolds(db: Db, settlements: Settlement[]): Promise<SettlementOutcome[]> {
  const sql = sqlOf(db);
  const outcomes = await sql<{ outcome: SettlementOutcome }[]>`
    with asked as (
      select * from rows from (
        json_to_recordset(${JSON.stringify(settlements.map(toRow))}::text::json) as (
          request_id text, account_id text, period text, note text, only_expired boolean, late text, charge bigint,
          key_id text, model_id text, channel_id text, prices jsonb, input_tokens bigint, cache_read_tokens bigint,
          cache_write_tokens bigint, cache_write_1h_tokens bigint, output_tokens bigint, reasoning_tokens bigint,
          usage_source text
        )
      ) with ordinality as asked (
        request_id, account_id, period, note, only_expired, late, charge, key_id, model_id, channel_id, prices,
        input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens,
        reasoning_tokens, usage_source, position
      )
    ), firsts as (
      -- Two ends of one hold in one batch: joined by its id, either would be counted for both.
      select distinct on (request_id) * from asked order by request_id, position
    ), locked as (
      select month.* from (select distinct account_id, period from asked order by 1, 2) as wanted, lateral (
        select account_id, period, counts_keys from account_months
        where account_id = wanted.account_id and period = wanted.period
        for update
      ) as month
    ), held as (
      -- Reads all of "locked" first: month rows before hold rows, and these in one order, in every writer.
      select request_id from holds
      where request_id = any(${settlements.map(({ requestId }) => requestId)}) and (select count(*) from locked) > 0
      order by request_id
      for update
    ), deleted as (
      delete from holds using firsts
      where holds.request_id = firsts.request_id and holds.account_id = firsts.account_id
        and holds.request_id in (select request_id from held)
        and (not firsts.only_expired or holds.expires_at < now())
      returning firsts.position, holds.account_id, holds.period, holds.key_id as held_by, holds.amount as held,
        holds.captured
    ), late as (
      select missed.position, missed.account_id, missed.period, null::text as held_by, 0::bigint as held,
        0::bigint as captured
      from (
        -- Of a call that is both released and charged in one batch, the charge: the release has nothing to return.
        select distinct on (request_id) * from asked
        where late is not null and charge is not null and request_id not in (
          select request_id from firsts join deleted using (position)
        )
        order by request_id, position
      ) as missed
      join locked using (account_id, period)
      cross join lateral (
        select bool_and(kind = 'release' and note is not distinct from ${EXPIRED}) as was_lost
        from ledger_entries where request_id = missed.request_id
      ) as earlier
      where coalesce(was_lost, missed.late = 'missing')
    ), ends as (
      select deleted.*, false as is_late from deleted union all select late.*, true from late
    ), entries as (
      insert into ledger_entries (
        account_id, period, kind, amount, request_id, held, key_id, model_id, channel_id, prices, input_tokens,
        cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
        usage_source, note
      )
      select
        ends.account_id, ends.period, case when charge is null then 'release' else 'capture' end,
        coalesce(charge, greatest(held - captured, 0)), request_id, held, key_id, model_id, channel_id, prices, input_tokens,
        cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
        usage_source, nullif(concat_ws(', ', case when is_late then ${LATE}::text end, note), '')
      from ends join asked using (position)
      -- A hold that was taken again, and is released now, has the sweeper's release already. Looked up by its id: as a
      -- condition, PostgreSQL may choose to read all releases for it.
      left join lateral (
        select true as is_there from ledger_entries where request_id = asked.request_id and kind = 'release' limit 1
      ) as earlier on charge is null
      where earlier.is_there is null
      on conflict (request_id, (kind = 'release' and note is not distinct from 'expired')) do nothing
      returning request_id
    ), ended as (
      select
        ends.*, key_id, model_id, input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens,
        output_tokens, case when entries.request_id is not null then charge end as charged
      from ends join asked using (position) left join entries using (request_id)
      where entries.request_id is not null or not is_late
    ), balances as (
      update account_months as month
      set used = month.used + total.charge, frozen = month.frozen - total.held
      from (
        select ended.account_id, ended.period, sum(held)::bigint as held,
          sum(captured + coalesce(charged, 0))::bigint as charge
        from ended group by 1, 2
      ) as total
      where month.account_id = total.account_id and month.period = total.period
    ), key_balances as (
      -- An upsert finds a row that this statement's snapshot is too old to see; an update would miss it.
      insert into key_months (key_id, period, used, frozen)
      select part.key_id, ended.period, sum(part.used), sum(part.frozen)
      from ended join locked using (account_id, period),
      lateral (values (held_by, captured, -held), (ended.key_id, coalesce(charged, 0), 0)) as part (key_id, used, frozen)
      where counts_keys and part.key_id is not null
      group by 1, 2
      on conflict (key_id, period) do update
      set used = key_months.used + excluded.used, frozen = key_months.frozen + excluded.frozen
    ), hours as (
      -- Deadlocks with nobody: they are written last, for they follow from the ends, and in one order.
      insert into spend_hours (
        account_id, period, hour, key_id, model_id, shard, calls, amount, input_tokens, output_tokens
      )
      select
        ended.account_id, ended.period, date_trunc('hour', now(), 'UTC'), coalesce(key_id, ''),
        coalesce(model_id, ''), ${SHARD}::smallint, count(*), sum(charged), sum(
          coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)
            + coalesce(cache_write_1h_tokens, 0)
        ), sum(coalesce(output_tokens, 0))
      from ended
      where charged is not null
      group by 1, 2, 4, 5
      order by 1, 2, 4, 5
      on conflict (account_id, period, hour, key_id, model_id, shard) do update
      set calls = spend_hours.calls + excluded.calls, amount = spend_hours.amount + excluded.amount,
        input_tokens = spend_hours.input_tokens + excluded.input_tokens,
        output_tokens = spend_hours.output_tokens + excluded.output_tokens
    )
    select case
      when ended.is_late then 'late'
      when ended.position is not null then 'ended'
      -- Its late charge met one that somebody put down while it waited.
      when ends.position is not null then 'capture'
      else coalesce(twin.kind, earlier.kind, 'gone')
    end as outcome
    from asked
    left join ended using (position)
    left join ends using (position)
    -- Of two ends of one hold in this batch: what the first one has just put down, which no look at the ledger shows yet.
    left join (
      select request_id, case when charge is null then 'release' else 'capture' end as kind
      from ends join asked using (position)
    ) as twin on twin.request_id = asked.request_id and ends.position is null
    left join lateral (
      -- Of a late capture and the release before it, the capture.
      select kind from ledger_entries where request_id = asked.request_id order by kind limit 1
    ) as earlier on ended.position is null
    order by asked.position`;
  return outcomes.map((row) => row.outcome);
}

/**
 * Holds that one statement of the sweeper ends, and statements of one sweep: 500,000 dead calls are for the next one.
 */
const SWEEP_ITEMS = 500;
const SWEEP_STATEMENTS = 1_000;

/**
 * Returns the money of holds whose process is gone; of one account when it is named. After the database itself came
 * up, leases get one more term: their processes could not renew them while it was down.
 */
export async function sweepHolds(db: Db, leaseSeconds: number, accountId?: AccountId): Promise<number> {
  const sql = sqlOf(db);
  let swept = 0;
  for (let statement = 0; statement < SWEEP_STATEMENTS; statement++) {
    const dead = await sql<{ requestId: string; accountId: AccountId; period: string }[]>`
      select request_id as "requestId", account_id as "accountId", period from holds
      where expires_at < now()
        and pg_postmaster_start_time() < now() - make_interval(secs => ${leaseSeconds})
        and (${accountId ?? null}::text is null or account_id = ${accountId ?? null})
      order by expires_at limit ${SWEEP_ITEMS}`;
    const outcomes = await endDead(db, dead);
    swept += outcomes.filter((outcome) => outcome === "ended").length;
    if (dead.length < SWEEP_ITEMS) {
      break;
    }
  }
  return swept;
}

async function endDead(
  db: Db,
  dead: { requestId: string; accountId: AccountId; period: string }[],
): Promise<SettlementOutcome[]> {
  return dead.length === 0
    ? []
    : await endHolds(
        db,
        dead.map((hold) => ({ ...hold, charge: null, note: EXPIRED, onlyExpired: true })),
      );
}
