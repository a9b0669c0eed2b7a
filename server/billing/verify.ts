import type { Sql } from "postgres";

/** A month whose figures are not what its entries and holds add up to. Nano-units as text. */
export type Drift = {
  accountId: string;
  period: string;
  figure: "quota" | "topups" | "used" | "frozen" | "overspent";
  recorded: string;
  recomputed: string;
};

/**
 * Recomputes every month from the ledger's entries and the open holds (law 5) in one snapshot, so it may run beside
 * live traffic. `overspent`: used + frozen above quota + top-ups by more than upstreams drove single calls above
 * their own holds (law 1). An entry or a hold without a month is drift too.
 */
export async function verifyLedger(sql: Sql): Promise<Drift[]> {
  const rows = await sql<Drift[]>`
    with entries as (
      select account_id, period,
        coalesce(sum(amount) filter (where kind in ('grant', 'adjust')), 0) as quota,
        coalesce(sum(amount) filter (where kind = 'topup'), 0) as topups,
        coalesce(sum(amount) filter (where kind = 'capture'), 0) as used,
        coalesce(sum(greatest(amount - held, 0)) filter (where kind = 'capture'), 0) as over_hold
      from ledger_entries group by 1, 2
    ), open as (
      select account_id, period, sum(amount) as frozen from holds group by 1, 2
    ), compared as (
      select
        coalesce(m.account_id, e.account_id, o.account_id) as account_id,
        coalesce(m.period, e.period, o.period) as period,
        m.quota, m.topups, m.used, m.frozen,
        coalesce(e.quota, 0) as e_quota, coalesce(e.topups, 0) as e_topups, coalesce(e.used, 0) as e_used,
        coalesce(o.frozen, 0) as e_frozen, coalesce(e.over_hold, 0) as over_hold
      from account_months m
      full join entries e on e.account_id = m.account_id and e.period = m.period
      full join open o on o.account_id = coalesce(m.account_id, e.account_id)
        and o.period = coalesce(m.period, e.period)
    )
    select account_id as "accountId", period, figure,
      coalesce(recorded::text, 'missing') as recorded, recomputed::text as recomputed
    from compared, lateral (values
      ('quota', quota::numeric, e_quota), ('topups', topups::numeric, e_topups),
      ('used', used::numeric, e_used), ('frozen', frozen::numeric, e_frozen),
      ('overspent', greatest(used + frozen - quota - topups, 0)::numeric,
        least(greatest(used + frozen - quota - topups, 0), over_hold))
    ) as figures (figure, recorded, recomputed)
    where recorded is distinct from recomputed
    order by 1, 2, 3 limit 1000`;
  return [...rows];
}

export type LedgerEntry = {
  id: string;
  createdAt: string;
  period: string;
  kind: string;
  amount: string;
  requestId: string | null;
  held: string | null;
  modelId: string | null;
  keyId: string | null;
  inputTokens: string | null;
  cacheReadTokens: string | null;
  cacheWriteTokens: string | null;
  cacheWrite1hTokens: string | null;
  outputTokens: string | null;
  reasoningTokens: string | null;
  usageSource: string | null;
  prices: Record<string, string> | null;
  note: string | null;
};

/** The newest entries of one account, newest first. Amounts in nano-units as text. */
export async function listEntries(
  sql: Sql,
  filter: { accountId: string; limit: number },
): Promise<LedgerEntry[]> {
  const rows = await sql<LedgerEntry[]>`
    select id::text, to_json(created_at)#>>'{}' as "createdAt", period, kind, amount::text,
      request_id as "requestId", held::text, model_id as "modelId", key_id as "keyId",
      input_tokens as "inputTokens", cache_read_tokens as "cacheReadTokens",
      cache_write_tokens as "cacheWriteTokens", cache_write_1h_tokens as "cacheWrite1hTokens",
      output_tokens as "outputTokens", reasoning_tokens as "reasoningTokens",
      usage_source as "usageSource", prices, note
    from ledger_entries where account_id = ${filter.accountId}
    order by ledger_entries.id desc limit ${filter.limit}`;
  return [...rows];
}
