import type { Sql } from "postgres";
import { makeLedgerMonths } from "@/server/billing";
import { type Database, patient } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

const ACCOUNTS = 10_000;
const MONTHS_BEFORE = 10;
/** Few enough that a statement takes seconds. */
const ROWS = 500_000;

const monthsBefore = (period: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(Number(period.slice(0, 4)), Number(period.slice(5)) - 2 - index, 1))
      .toISOString()
      .slice(0, 7),
  );

/**
 * Adds entries `from` to `to` of a month, as charges of many accounts in turn. Their names are unordered, like real
 * ones.
 */
const addEntries = (sql: Sql, { period, from, to }: { period: string; from: number; to: number }) => sql`
  insert into ledger_entries (
    id, account_id, period, kind, amount, held, key_id, model_id, created_at, input_tokens, output_tokens, usage_source
  )
  select 'req_' || lpad(to_hex(i), 12, '0') || left(md5(i::text), 20), 'acc_' || owner, ${period}::text, 'capture', 1000, 2000,
    'key_' || owner, 'model-' || i % 5, to_date(${period}, 'YYYY-MM') + i * interval '0.1 seconds', 10, 20, 'upstream'
  from generate_series(${from}::bigint, ${to}::bigint) as i, lateral (select md5('account ' || i % ${ACCOUNTS}::int)) as o (owner)`;

async function addSums(sql: Sql, period: string): Promise<void> {
  await sql`
    insert into ledger_entries (id, account_id, period, kind, amount)
    select 'grant_' || ${period}::text, 'acc_' || md5('account ' || i), ${period}, 'grant', 1000000000000
    from generate_series(0, ${ACCOUNTS}::int - 1) as i on conflict do nothing`;
  await sql`
    with spent as (
      select account_id, key_id, model_id, count(*) as calls, sum(amount) as amount from ledger_entries
      where period = ${period} and kind = 'capture' and id like 'req\\_0000%' group by 1, 2, 3
    ), hours as (
      insert into spend_hours (account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens)
      select account_id, ${period}, to_date(${period}, 'YYYY-MM'), key_id, model_id, calls, amount, 10 * calls, 20 * calls
      from spent
      on conflict (account_id, period, hour, key_id, model_id, shard) do update
      set calls = excluded.calls, amount = excluded.amount
    )
    insert into account_months (account_id, period, quota, used)
    select account_id, ${period}, 1000000000000, sum(amount) from spent group by 1
    on conflict (account_id, period) do update set used = excluded.used`;
}

/**
 * Fills a ledger as if it had been kept for eleven months, with half of its entries in the current one, and with
 * correct sums. `before`: the number of entries that it already has.
 */
export async function addYears(
  db: Database,
  { period, before, entries }: { period: string; before: number; entries: number },
): Promise<void> {
  const sql = sqlOf(patient(db)) as Sql;
  await sql`set synchronous_commit = off`;
  await sql`
    insert into accounts (id, name, monthly_quota)
    select 'acc_' || md5('account ' || i), 'past ' || i, 1000000000000 from generate_series(0, ${ACCOUNTS}::int - 1) as i
    on conflict do nothing`;
  for (const month of [period, ...monthsBefore(period, MONTHS_BEFORE)]) {
    await makeLedgerMonths(db, month);
    const share = month === period ? 1 / 2 : 1 / 2 / MONTHS_BEFORE;
    const last = Math.floor(entries * share);
    for (let from = Math.floor(before * share); from < last; from += ROWS) {
      await addEntries(sql, { period: month, from, to: Math.min(from + ROWS, last) - 1 });
    }
  }
  await addSums(sql, period);
  await sql`vacuum analyze`;
  // Without it the new rows would be written to disk for minutes, and measurements meanwhile would wait for that.
  await sql`checkpoint`;
}

/** Adds keys and models without calls to those with calls. */
export async function addCrowd(
  db: Database,
  { keys, models }: { keys: number; models: number },
): Promise<void> {
  const sql = sqlOf(patient(db)) as Sql;
  await sql`
    insert into api_keys (id, account_id, name, hash, last_four, status)
    select 'key_' || md5('key ' || i), 'acc_' || md5('account ' || i % ${ACCOUNTS}::int), 'key ' || i,
      md5('hash ' || i) || md5('more ' || i), '0000', 'active'
    from generate_series(1, ${keys}::int) as i`;
  await sql`
    insert into models (id, kind, owned_by, enabled, max_output_tokens, input_price, output_price)
    select 'crowd-' || i, 'chat', 'bench', true, 1000, 1000, 1000 from generate_series(1, ${models}::int) as i`;
  await sql`
    insert into channel_models (channel_id, model_id, upstream_name)
    select (select min(id) from channels), 'crowd-' || i, 'crowd' from generate_series(1, ${models}::int) as i`;
  await sql`vacuum analyze`;
}

export async function ledgerBytes(db: Database, period: string): Promise<number> {
  const [row] = await sqlOf(db)<{ bytes: string }[]>`
    select pg_total_relation_size(${`ledger_entries_${period.replace("-", "_")}`}::regclass) as bytes`;
  return Number(row?.bytes);
}
