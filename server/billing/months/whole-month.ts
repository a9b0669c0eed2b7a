import { sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { EntryKind } from "@/server/domain/enums";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { frozenBy, frozenOfMonth, usedBy, usedOfMonth } from "../entries/balances";
import { AVAILABLE } from "./available";

const { accountMonths, accounts, ledgerCheckpoints, ledgerClosings, ledgerEntries, spendHours } = tables;

/** The charges of a key for a model. Empty identifiers if a charge has none. */
type SpendLine = {
  keyId: KeyId;
  modelId: string;
  calls: number;
  amount: Nanos;
  inputTokens: number;
  outputTokens: number;
};

/** Nano-units. `kinds`: the sums of entries by kind, except charges. */
type WholeMonth = {
  used: Nanos;
  frozen: Nanos;
  kinds: Partial<Record<EntryKind, Nanos>>;
  lines: SpendLine[];
};

type WholeMonthRow = Record<"part" | "a" | "b" | "calls" | "amount" | "input" | "output", string>;

/** A month's entries except charges and releases. If they are archived: the stored sums, and the entries since. */
function entriesOf(accountId: AccountId, period: string) {
  const isMonth = sql`account_id = ${accountId} and period = ${period}`;
  return sql`(
    select kind, amount from ${ledgerEntries} where ${isMonth} and kind <> 'capture' and kind <> 'release'
    union all
    select kind, amount from ${ledgerCheckpoints} where ${isMonth} and kind <> 'capture' and kind <> 'release'
      and exists (select 1 from ${ledgerClosings} where ${ledgerClosings.period} = ${period} and archived_at is not null)
  ) as entries`;
}

/** The sums of a month's entries by kind, except charges and releases, in nano-units. */
export async function sumKinds(
  db: Db,
  { accountId, period }: { accountId: AccountId; period: string },
): Promise<WholeMonth["kinds"]> {
  const rows = await ormOf(db).execute<{ kind: EntryKind; amount: string }>(
    sql`select kind, sum(amount)::text as amount from ${entriesOf(accountId, period)} group by kind`,
  );
  return Object.fromEntries(rows.map(({ kind, amount }) => [kind, nanos(amount)]));
}

/**
 * All sums of a month, in one snapshot, so that the parts add up while calls continue. If the month's entries are
 * archived: the stored sums, and the entries since.
 */
export async function sumMonth(
  db: Db,
  { accountId, period }: { accountId: AccountId; period: string },
): Promise<WholeMonth> {
  const isMonth = sql`account_id = ${accountId} and period = ${period}`;
  const rows = await ormOf(db).execute<WholeMonthRow>(sql`
    select 'used' as part, '' as a, '' as b, '0' as calls, (${usedBy(accountId)})::text as amount, '0' as input, '0' as output
    from ${accountMonths} where ${isMonth}
    union all
    select 'frozen', '', '', '0', (${frozenBy(accountId)})::text, '0', '0' from ${accountMonths} where ${isMonth}
    union all
    select 'kind', kind, '', '0', sum(amount)::text, '0', '0' from ${entriesOf(accountId, period)} group by kind
    union all
    select 'line', key_id, model_id, sum(calls)::text, sum(amount)::text, sum(input_tokens)::text, sum(output_tokens)::text
    from ${spendHours} where ${isMonth} group by key_id, model_id
    order by 1, 2, 3`);
  const amountOf = (part: string) => nanos(rows.find((row) => row.part === part)?.amount ?? "0");
  const ofPart = (part: string) => rows.filter((row) => row.part === part);
  return {
    used: amountOf("used"),
    frozen: amountOf("frozen"),
    kinds: Object.fromEntries(ofPart("kind").map(({ a, amount }) => [a, nanos(amount)])),
    lines: ofPart("line").map(({ a, b, calls, amount, input, output }) => ({
      keyId: a as KeyId,
      modelId: b,
      calls: Number(calls),
      amount: nanos(amount),
      inputTokens: Number(input),
      outputTokens: Number(output),
    })),
  };
}

/** Nano-units: `quota` + `topups` + `refunded` + `adjustments` + `carried` - `used` - `frozen` = `closing`. */
type MonthSums = { accountId: AccountId; name: string } & Record<
  "quota" | "topups" | "refunded" | "adjustments" | "carried" | "used" | "frozen" | "closing",
  Nanos
>;

/** A month of the accounts after `after`, ordered by identifier. Accounts without that month are left out. */
export async function listMonthSums(
  db: Db,
  { period, after, limit }: { period: string; after: string; limit: number },
): Promise<MonthSums[]> {
  const rows = await ormOf(db).execute<Record<keyof MonthSums, string>>(sql`
    with months as materialized (
      select account_id, quota, topups, ${usedOfMonth} as used, ${frozenOfMonth} as frozen
      from ${accountMonths} where period = ${period} and account_id > ${after} order by account_id limit ${limit}
    ), entries as (
      select account_id, kind, amount from ${ledgerEntries}
      where period = ${period} and account_id in (select account_id from months)
        and kind <> 'capture' and kind in ('refund', 'adjustment', 'carryover')
      union all
      select account_id, kind, amount from ${ledgerCheckpoints}
      where period = ${period} and account_id in (select account_id from months) and kind in ('refund', 'adjustment', 'carryover')
        and exists (select 1 from ${ledgerClosings} where ${ledgerClosings.period} = ${period} and archived_at is not null)
    ), sums as (
      select account_id, coalesce(sum(amount) filter (where kind = 'refund'), 0) as refunded,
        coalesce(sum(amount) filter (where kind = 'adjustment'), 0) as adjustments,
        coalesce(sum(amount) filter (where kind = 'carryover'), 0) as carried
      from entries group by 1
    )
    select account_id as "accountId", name, quota::text, used::text, frozen::text,
      coalesce(refunded, 0)::text as refunded, coalesce(adjustments, 0)::text as adjustments, coalesce(carried, 0)::text as carried,
      (topups - coalesce(refunded, 0) - coalesce(adjustments, 0) - coalesce(carried, 0))::text as topups,
      (${sql.raw(AVAILABLE)})::text as closing
    from months left join sums using (account_id) join ${accounts} on ${accounts.id} = account_id
    order by account_id`);
  return rows.map(({ accountId, name, ...sums }) => ({
    accountId: accountId as AccountId,
    name,
    quota: nanos(sums.quota),
    topups: nanos(sums.topups),
    refunded: nanos(sums.refunded),
    adjustments: nanos(sums.adjustments),
    carried: nanos(sums.carried),
    used: nanos(sums.used),
    frozen: nanos(sums.frozen),
    closing: nanos(sums.closing),
  }));
}
