import { sql } from "drizzle-orm";
import type { AccountId, KeyId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { accountMonths, holds, keyMonths, ledgerEntries, spendHours } = tables;

/**
 * A figure that is not what the ledger's entries and the open holds add up to. `keyId` where it is
 * one key's; `accountId` empty where nothing tells whose.
 */
export type Drift = {
  accountId: AccountId;
  period: string;
  figure: "quota" | "topups" | "used" | "frozen" | "overspent" | "spend" | "key_used" | "key_frozen";
  keyId: KeyId | null;
  /** null: there is no such row. */
  recorded: Nanos | null;
  recomputed: Nanos;
};

/** As the driver gives it: money is text. */
type RawDrift = Omit<Drift, "recorded" | "recomputed"> & { recorded: string | null; recomputed: string };

/**
 * Recomputes every month, every key's month and every hour's spend from the ledger's entries and the open holds (law
 * 5) in one snapshot, so it may run beside live traffic. `overspent`: used + frozen above quota + top-ups by more than
 * upstreams drove single calls above their own holds (law 1). An entry or a hold without a month is drift too, and so
 * is a key without one in a month that counts its keys.
 *
 * - `entries`: what each month's entries come to, and by how much its captures went above their holds.
 * - `open`: what its open holds come to, and what was charged out of escrows among them, which no month knows yet.
 * - `months`: every month that any of the three knows, as recorded and as recomputed.
 * - `charged`, `hours`: what was charged for each key and model, by the entries and by the hours.
 * - `key_parts`, `key_sums`: what each key has used and frozen, in months that count their keys.
 * - `figures`: every figure that differs.
 */
export async function verifyLedger(db: Db): Promise<Drift[]> {
  const rows = await ormOf(db).execute<RawDrift>(sql`
    with entries as (
      select account_id, period,
        coalesce(sum(amount) filter (where kind in ('grant', 'adjust')), 0) as quota,
        coalesce(sum(amount) filter (where kind = 'topup'), 0) as topups,
        coalesce(sum(amount) filter (where kind = 'capture'), 0) as used,
        coalesce(sum(greatest(amount - held, 0)) filter (where kind = 'capture'), 0) as over_hold
      from ${ledgerEntries} group by 1, 2
    ), open as (
      select account_id, period, sum(amount) as frozen, sum(captured) as captured from ${holds} group by 1, 2
    ), months as (
      select
        coalesce(m.account_id, e.account_id, o.account_id) as account_id,
        coalesce(m.period, e.period, o.period) as period,
        m.quota, m.topups, m.used, m.frozen,
        coalesce(e.quota, 0) as e_quota, coalesce(e.topups, 0) as e_topups,
        coalesce(e.used, 0) - coalesce(o.captured, 0) as e_used,
        coalesce(o.frozen, 0) as e_frozen, coalesce(e.over_hold, 0) as over_hold
      from ${accountMonths} m
      full join entries e on e.account_id = m.account_id and e.period = m.period
      full join open o on o.account_id = coalesce(m.account_id, e.account_id)
        and o.period = coalesce(m.period, e.period)
    ), charged as (
      select account_id, period, coalesce(key_id, '') as key_id, coalesce(model_id, '') as model_id,
        count(*) as calls, sum(amount) as amount
      from ${ledgerEntries} where kind = 'capture' group by 1, 2, 3, 4
    ), hours as (
      select account_id, period, key_id, model_id, sum(calls) as calls, sum(amount) as amount
      from ${spendHours} group by 1, 2, 3, 4
    ), key_parts as (
      select account_id, period, key_id, amount as used, 0 as frozen from charged
      union all
      select account_id, period, key_id, -captured, amount from ${holds} where key_id is not null
    ), key_sums as (
      select min(part.account_id) as account_id, period, key_id, sum(part.used) as used, sum(part.frozen) as frozen
      from key_parts as part join ${accountMonths} as month using (account_id, period)
      where counts_keys and key_id <> '' group by 2, 3
    ), figures as (
      select account_id, period, null as key_id, figure, recorded, recomputed
      from months, lateral (values
        ('quota', quota::numeric, e_quota), ('topups', topups::numeric, e_topups),
        ('used', used::numeric, e_used), ('frozen', frozen::numeric, e_frozen),
        ('overspent', greatest(used + frozen - quota - topups, 0)::numeric,
          least(greatest(used + frozen - quota - topups, 0), over_hold))
      ) as figures (figure, recorded, recomputed)
      where recorded is distinct from recomputed
      union all
      select account_id, period, nullif(key_id, ''), 'spend', hours.amount, coalesce(charged.amount, 0)
      from hours full join charged using (account_id, period, key_id, model_id)
      where (hours.amount, hours.calls) is distinct from (charged.amount, charged.calls)
      union all
      select coalesce(account_id, ''), period, key_id, figure, recorded, recomputed
      from ${keyMonths} full join key_sums using (period, key_id), lateral (values
        ('key_used', key_months.used::numeric, coalesce(key_sums.used, 0)),
        ('key_frozen', key_months.frozen::numeric, coalesce(key_sums.frozen, 0))
      ) as figures (figure, recorded, recomputed)
      where recorded is distinct from recomputed
    )
    select account_id as "accountId", period, figure, key_id as "keyId",
      recorded::text, recomputed::text as recomputed
    from figures
    order by 1, 2, 3, 4 limit 1000`);
  return rows.map(({ recorded, recomputed, ...row }) => ({
    ...row,
    recorded: recorded === null ? null : nanos(recorded),
    recomputed: nanos(recomputed),
  }));
}
