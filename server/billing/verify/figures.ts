import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { OUTAGE } from "../holds/charge-notes";
import { type Differences, type DriftRow, firstOf, toDifferences } from "./drift";

const {
  accountMonths,
  costHours,
  holds,
  keyMonths,
  ledgerCheckpoints,
  ledgerClosings,
  ledgerEntries,
  spendHours,
} = tables;

/**
 * A month of some accounts. `by`: read the stored sums of a closed month instead of its entries, some thousand times
 * less data.
 */
export type MonthPart = { period: string; accountIds: AccountId[]; by?: "entries" | "checkpoints" };

type Owned = { accountId: AnyPgColumn; period: AnyPgColumn };

/** The rows of a part. Accounts are listed one by one, so that no index is read for their other months. */
const isOf = (table: Owned, { period, accountIds }: MonthPart): SQL | undefined =>
  and(inArray(table.accountId, accountIds), eq(table.period, period));

const isInArchive = ({ period }: MonthPart): SQL => sql`exists (
  select 1 from ${ledgerClosings} where ${ledgerClosings.period} = ${period} and archived_at is not null
)`;

/**
 * The sums of a part's entries, by account, kind, key and model. If the month's entries are archived: the stored sums,
 * and the entries since.
 */
function sumsOf(part: MonthPart): SQL {
  const isArchived = isInArchive(part);
  const isQuick = part.by === "checkpoints";
  return sql`
    select account_id, kind, key_id, model_id, sum(entries) as entries, sum(amount) as amount,
      sum(over_hold) as over_hold, sum(outage) as outage, sum(costed_calls) as costed_calls, sum(costed) as costed, sum(cost) as cost
    from (
      select account_id, kind, coalesce(key_id, '') as key_id, coalesce(model_id, '') as model_id,
        count(*) as entries, sum(amount) as amount, sum(greatest(amount - held, 0)) as over_hold,
        coalesce(sum(amount) filter (where note like ${`${OUTAGE}%`}), 0) as outage,
        count(cost) as costed_calls, sum(amount) filter (where cost is not null) as costed, sum(cost) as cost
      from ${ledgerEntries} where ${isOf(ledgerEntries, part)} and (${!isQuick} or ${isArchived}) group by 1, 2, 3, 4
      union all
      select account_id, kind, key_id, model_id, entries, amount, over_hold, 0, 0, 0, 0
      from ${ledgerCheckpoints} where ${isOf(ledgerCheckpoints, part)} and (${isQuick} or ${isArchived})
    ) as parts
    group by 1, 2, 3, 4`;
}

/**
 * The account of a part with a single one, once more for each row that is found by another row's account. With tables on
 * several machines a part has one account, and its statement has one snapshot only if each row's machine is known before.
 */
const ownRow = (table: "other" | "charge", { accountIds: [first, ...others] }: MonthPart): SQL => {
  const only = others.length === 0 ? (first ?? null) : null;
  return sql`(${sql.identifier(table)}.account_id = ${only} or ${only}::text is null)`;
};

/**
 * The charges that a part's refunds refer to (`charge`; 0: there is none), and the sum of all refunds of each
 * (`given`). A closed month gets no more refunds, and was checked when it was closed.
 */
const refundsOf = (part: MonthPart): SQL => sql`
  select refund.account_id, (
    select coalesce(sum(amount), 0) from ${ledgerEntries} as other
    where other.account_id = refund.account_id and other.kind <> 'capture' and other.kind = 'refund'
      and other.charge_id = refund.charge_id and ${ownRow("other", part)}
  ) as given, (
    select coalesce(sum(amount), 0) from ${ledgerEntries} as charge
    where charge.account_id = refund.account_id and charge.id = refund.charge_id
      and charge.period = refund.charge_period and charge.kind = 'capture' and ${ownRow("charge", part)}
  ) as charge
  from (
    select distinct account_id, charge_id, charge_period from ${ledgerEntries}
    where account_id = any(${sql.param(part.accountIds)}::text[]) and period = ${part.period}
      and kind <> 'capture' and kind = 'refund' and ${part.by !== "checkpoints"}
  ) as refund
  where not exists (
    select 1 from ${ledgerClosings} where ${ledgerClosings.period} = refund.charge_period and archived_at is not null
  )`;

/** Carry-over entries of a part whose other half is missing. */
const halvesOf = (part: MonthPart): SQL => sql`
  select half.account_id, half.amount from ${ledgerEntries} as half
  where half.account_id = any(${sql.param(part.accountIds)}::text[]) and half.period = ${part.period}
    and half.kind <> 'capture' and half.kind = 'carryover' and ${part.by !== "checkpoints"}
    and not exists (
      select 1 from ${ledgerEntries} as other
      where other.account_id = half.account_id and other.id = half.id and other.period = half.note
        and other.kind = 'carryover' and other.amount = -half.amount and ${ownRow("other", part)}
    )
    and not exists (
      select 1 from ${ledgerClosings} where ${ledgerClosings.period} = half.note and archived_at is not null
    )`;

/**
 * Recomputes a month of some accounts, their keys' months and their hourly spend from the ledger's entries and the open
 * holds (law 5), in one snapshot, so live traffic may continue. `outage`: the charges that outage allowances paid; no
 * checkpoint contains them. `overspent`: used + frozen exceeds quota + top-ups by more than upstreams drove single calls
 * above their own holds, which calls without holds have none of (law 1). These are drift, too: an entry or a hold
 * without a month, a key without one in a month that counts its keys, and a key's month that is not counted.
 *
 * - `sums`: the entries, read once. `entries`: their sums per account, and how far its captures exceeded their holds.
 * - `open`: the sums of the open holds, and the charges to escrows among them that no month includes yet (`beyond`: the
 *   amount by which these exceed the escrows); `held`: per account.
 * - `months`: every account in any of the three, as recorded and as recomputed.
 * - `charged`, `hours`: the charges per key and model, by the entries and by the hours.
 * - `costed`, `costs`: the same for amounts due to channels. No checkpoint contains them.
 * - `key_parts`, `key_sums`: what each key has used and frozen, in months that count their keys; `key_recorded`: what
 *   their months say. A key without movements needs none.
 * - `refunded`: the charges that this month refunds, with all their refunds in any month, if these exceed the charge or
 *   there is no charge. Without charges whose month is archived.
 * - `carried`: carry-over entries without their other half.
 * - `figures`: every figure that differs; `first`: the first ones.
 */
export async function findDrift(db: Db, part: MonthPart): Promise<Differences & { entries: number }> {
  const rows = await ormOf(db).execute<{ entries: string } & (DriftRow | Record<keyof DriftRow, null>)>(sql`
    with sums as materialized (${sumsOf(part)}), entries as (
      select account_id,
        coalesce(sum(amount) filter (where kind in ('grant', 'adjust')), 0) as quota,
        coalesce(sum(amount) filter (where kind in ('topup', 'refund', 'adjustment', 'carryover')), 0) as topups,
        coalesce(sum(amount) filter (where kind = 'capture'), 0) as used,
        coalesce(sum(outage) filter (where kind = 'capture'), 0) as outage,
        coalesce(sum(over_hold) filter (where kind = 'capture'), 0) as over_hold
      from sums group by 1
    ), open as (
      select account_id, key_id, sum(amount) as frozen, sum(captured) as captured,
        sum(greatest(captured - amount, 0)) as beyond
      from ${holds} where ${isOf(holds, part)} group by 1, 2
    ), held as (
      select account_id, sum(frozen) as frozen, sum(captured) as captured, sum(beyond) as beyond from open group by 1
    ), recorded as (
      select account_id, quota, topups, used, frozen, outage, counts_keys
      from ${accountMonths} where ${isOf(accountMonths, part)}
    ), months as (
      select
        account_id, recorded.quota, recorded.topups, recorded.used, recorded.frozen, recorded.outage,
        coalesce(entries.quota, 0) as e_quota, coalesce(entries.topups, 0) as e_topups,
        coalesce(entries.used, 0) - coalesce(held.captured, 0) as e_used,
        case when ${part.by === "checkpoints"} or ${isInArchive(part)} then recorded.outage
          else coalesce(entries.outage, 0) end as e_outage,
        coalesce(held.frozen, 0) as e_frozen, coalesce(entries.over_hold, 0) as over_hold,
        greatest(recorded.used + recorded.frozen + coalesce(held.beyond, 0) - recorded.quota - recorded.topups, 0)
          as overspent
      from recorded full join entries using (account_id) full join held using (account_id)
    ), charged as (
      select account_id, key_id, model_id, entries as calls, amount from sums where kind = 'capture'
    ), hours as (
      select account_id, key_id, model_id, sum(calls) as calls, sum(amount) as amount
      from ${spendHours} where ${isOf(spendHours, part)} group by 1, 2, 3
    ), costed as (
      select account_id, model_id, sum(costed_calls) as calls, sum(costed) as amount, sum(cost) as cost
      from sums where kind = 'capture' and costed_calls > 0 group by 1, 2
    ), costs as (
      select account_id, model_id, sum(calls) as calls, sum(amount) as amount, sum(cost) as cost
      from ${costHours}
      where account_id = any(${sql.param(part.accountIds)}::text[]) and period = ${part.period} and ${part.by !== "checkpoints"} and not ${isInArchive(part)}
      group by 1, 2
    ), key_parts as (
      select account_id, key_id, amount as used, 0 as frozen from charged
      union all
      select account_id, key_id, -captured, frozen from open
      union all
      select account_id, key_id, 0, 0 from hours
    ), key_sums as (
      select account_id, key_id, sum(part.used) as used, sum(part.frozen) as frozen
      from key_parts as part join recorded using (account_id)
      where counts_keys and key_id <> '' group by 1, 2
    ), key_recorded as (
      select account_id, key_id, used, frozen from ${keyMonths} where ${isOf(keyMonths, part)}
    ), refunded as (
      select account_id, sum(given) as given, sum(charge) as charge
      from (${refundsOf(part)}) as charges where given > charge group by 1
    ), carried as (
      select account_id, sum(abs(amount)) as amount from (${halvesOf(part)}) as halves group by 1
    ), figures as (
      select account_id, null as key_id, figure, recorded, recomputed
      from months, lateral (values
        ('quota', quota::numeric, e_quota), ('topups', topups::numeric, e_topups),
        ('used', used::numeric, e_used), ('frozen', frozen::numeric, e_frozen),
        ('outage', outage::numeric, e_outage), ('overspent', overspent::numeric, least(overspent, over_hold))
      ) as figures (figure, recorded, recomputed)
      where recorded is distinct from recomputed
      union all
      select account_id, null, 'refunded', given, charge from refunded
      union all
      select account_id, null, 'carried', amount, 0 from carried
      union all
      select account_id, nullif(key_id, ''), 'spend', hours.amount, coalesce(charged.amount, 0)
      from hours full join charged using (account_id, key_id, model_id)
      where (hours.amount, hours.calls) is distinct from (charged.amount, charged.calls)
      union all
      select account_id, null, 'cost', costs.cost, coalesce(costed.cost, 0)
      from costs full join costed using (account_id, model_id)
      where (costs.cost, costs.amount, costs.calls) is distinct from (costed.cost, costed.amount, costed.calls)
        and not ${isInArchive(part)}
      union all
      select account_id, key_id, figure, recorded, recomputed
      from key_sums full join key_recorded using (account_id, key_id), lateral (values
        ('key_used', key_recorded.used::numeric, coalesce(key_sums.used, 0)),
        ('key_frozen', key_recorded.frozen::numeric, coalesce(key_sums.frozen, 0))
      ) as figures (figure, recorded, recomputed)
      where recorded is distinct from recomputed and (recorded is not null or recomputed <> 0)
    )
    select total.entries, first.*
    from (select coalesce(sum(entries), 0)::text as entries from sums) as total
    left join (${firstOf(sql`figures`)}) as first on true
    order by place`);
  const differing = rows.flatMap(({ entries: _, ...row }) => (row.accountId === null ? [] : [row]));
  return { ...toDifferences(differing, part.period), entries: Number(rows[0]?.entries ?? 0) };
}
