import type { ISql } from "postgres";
import type { Usage } from "@/server/protocol/usage";

type Sql = ISql;

/** Where the token counts of a charge come from. */
export type UsageSource = "upstream" | "partial" | "estimated";

/** What is charged. `usage` and its `source` are null where nothing is counted: a video has a price, no tokens. */
export type Charge = {
  amount: bigint;
  usage: Usage | null;
  source: UsageSource | null;
  prices: Readonly<Record<string, bigint>>;
  keyId: string;
  modelId: string;
  channelId: string;
};

export type Settlement = {
  requestId: string;
  accountId: string;
  period: string;
  /** null: nothing is charged, the hold is returned. */
  charge: Charge | null;
  note?: string | undefined;
  /** The sweeper's: do nothing if the lease was renewed meanwhile. */
  onlyExpired?: boolean;
};

/** `ended`: by this one. Else by an earlier one: `capture` or `release`, or `gone` when that committed too late to see. */
export type SettlementOutcome = "ended" | "capture" | "release" | "gone";

const text = (prices: Charge["prices"]) =>
  Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, price.toString()]));

function toRow(settlement: Settlement) {
  const { charge } = settlement;
  return {
    request_id: settlement.requestId,
    account_id: settlement.accountId,
    period: settlement.period,
    note: settlement.note ?? null,
    only_expired: settlement.onlyExpired ?? false,
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
 * it ends and its ledger entry is unique by request id: done twice, the second time changes nothing.
 */
export async function endHolds(sql: Sql, settlements: Settlement[]): Promise<SettlementOutcome[]> {
  const outcomes = await sql<{ outcome: SettlementOutcome }[]>`
    with asked as (
      select * from rows from (
        json_to_recordset(${JSON.stringify(settlements.map(toRow))}::text::json) as (
          request_id text, account_id text, period text, note text, only_expired boolean, charge bigint,
          key_id text, model_id text, channel_id text, prices jsonb, input_tokens bigint, cache_read_tokens bigint,
          cache_write_tokens bigint, cache_write_1h_tokens bigint, output_tokens bigint, reasoning_tokens bigint,
          usage_source text
        )
      ) with ordinality as asked (
        request_id, account_id, period, note, only_expired, charge, key_id, model_id, channel_id, prices,
        input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens,
        reasoning_tokens, usage_source, position
      )
    ), firsts as (
      -- Two ends of one hold in one batch: joined by its id, either would be counted for both.
      select distinct on (request_id) * from asked order by request_id, position
    ), locked as (
      select account_id, period, counts_keys from account_months
      where (account_id, period) in (select account_id, period from asked)
      order by account_id, period
      for update
    ), ended as (
      delete from holds using firsts
      where holds.request_id = firsts.request_id and holds.account_id = firsts.account_id
        and (not firsts.only_expired or holds.expires_at < now())
        -- Reads all of "locked" first: month rows before hold rows, in every writer.
        and (select count(*) from locked) > 0
      returning firsts.position, holds.account_id, holds.period, holds.key_id as held_by, holds.amount as held
    ), balances as (
      update account_months as month
      set used = month.used + total.charge, frozen = month.frozen - total.held
      from (
        select ended.account_id, ended.period, sum(held)::bigint as held, sum(coalesce(charge, 0))::bigint as charge
        from ended join asked using (position) group by 1, 2
      ) as total
      where month.account_id = total.account_id and month.period = total.period
    ), key_balances as (
      -- An upsert finds a row that this statement's snapshot is too old to see; an update would miss it.
      insert into key_months (key_id, period, used, frozen)
      select part.key_id, ended.period, sum(part.used), sum(part.frozen)
      from ended join asked using (position)
      join locked on locked.account_id = ended.account_id and locked.period = ended.period,
      lateral (values (held_by, 0, -held), (asked.key_id, charge, 0)) as part (key_id, used, frozen)
      where counts_keys and part.key_id is not null
      group by 1, 2
      on conflict (key_id, period) do update
      set used = key_months.used + excluded.used, frozen = key_months.frozen + excluded.frozen
    ), hours as (
      -- Deadlocks with nobody: who writes an account's hours has its month's row.
      insert into spend_hours (
        account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens
      )
      select
        ended.account_id, ended.period, date_trunc('hour', now(), 'UTC'), coalesce(key_id, ''),
        coalesce(model_id, ''), count(*), sum(charge), sum(
          coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)
            + coalesce(cache_write_1h_tokens, 0)
        ), sum(coalesce(output_tokens, 0))
      from ended join asked using (position)
      where charge is not null
      group by 1, 2, 4, 5
      on conflict (account_id, period, hour, key_id, model_id) do update
      set calls = spend_hours.calls + excluded.calls, amount = spend_hours.amount + excluded.amount,
        input_tokens = spend_hours.input_tokens + excluded.input_tokens,
        output_tokens = spend_hours.output_tokens + excluded.output_tokens
    ), entries as (
      insert into ledger_entries (
        account_id, period, kind, amount, request_id, held, key_id, model_id, channel_id, prices, input_tokens,
        cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
        usage_source, note
      )
      select
        ended.account_id, ended.period, case when charge is null then 'release' else 'capture' end,
        coalesce(charge, held), request_id, held, key_id, model_id, channel_id, prices, input_tokens,
        cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
        usage_source, note
      from ended join asked using (position)
    )
    select case when ended.position is not null then 'ended' else coalesce(earlier.kind, 'gone') end as outcome
    from asked
    left join ended using (position)
    left join ledger_entries as earlier on earlier.request_id = asked.request_id
    order by position`;
  return outcomes.map((row) => row.outcome);
}

/** Holds that one statement of the sweeper ends, and statements of one sweep: 500,000 dead calls are for the next one. */
const SWEEP_ITEMS = 500;
const SWEEP_STATEMENTS = 1_000;

/**
 * Returns the money of holds whose process is gone; of one account when it is named. After the database itself came
 * up, leases get one more term: their processes could not renew them while it was down.
 */
export async function sweepHolds(sql: Sql, leaseSeconds: number, accountId?: string): Promise<number> {
  let swept = 0;
  for (let statement = 0; statement < SWEEP_STATEMENTS; statement++) {
    const dead = await sql<{ requestId: string; accountId: string; period: string }[]>`
      select request_id as "requestId", account_id as "accountId", period from holds
      where expires_at < now()
        and pg_postmaster_start_time() < now() - make_interval(secs => ${leaseSeconds})
        and (${accountId ?? null}::text is null or account_id = ${accountId ?? null})
      order by expires_at limit ${SWEEP_ITEMS}`;
    const outcomes = await endDead(sql, dead);
    swept += outcomes.filter((outcome) => outcome === "ended").length;
    if (dead.length < SWEEP_ITEMS) {
      break;
    }
  }
  return swept;
}

async function endDead(
  sql: Sql,
  dead: { requestId: string; accountId: string; period: string }[],
): Promise<SettlementOutcome[]> {
  return dead.length === 0
    ? []
    : await endHolds(
        sql,
        dead.map((hold) => ({ ...hold, charge: null, note: "expired", onlyExpired: true })),
      );
}
