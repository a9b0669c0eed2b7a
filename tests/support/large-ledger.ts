import type { Sql } from "postgres";

/** The accounts of the rows. */
const ACCOUNTS = 20;
const KEYS = 200;
const COST = 1_000_000;

/**
 * Fills a month's ledger with `rows` charges and calls that add up: accounts, months, entries, spend by the hour. Uses
 * no release's code, and only columns that every release has.
 */
export async function fillLedger(sql: Sql, rows: number): Promise<void> {
  const [time] = await sql<
    { period: string }[]
  >`select to_char(now() at time zone 'UTC', 'YYYY-MM') as period`;
  const period = time?.period ?? "";
  const quota = COST * rows;
  await sql`
    insert into accounts (id, name, monthly_quota)
    select 'acc_filled_' || i, 'filled ' || i, ${quota} from generate_series(0, ${ACCOUNTS - 1}::int) as i`;
  await sql`
    insert into ledger_entries (account_id, period, kind, amount, id)
    select id, ${period}, 'grant', ${quota}, 'grant_' || ${period}::text from accounts where id like 'acc\_filled\_%'`;
  await sql`
    insert into calls (request_id, account_id, key_id, endpoint, model_id, status, elapsed_ms, started_at)
    select 'req_' || lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || lpad(to_hex(i), 20, '7'),
      'acc_filled_' || i % ${ACCOUNTS}::int, 'key_filled_' || i % ${KEYS}::int, 'chat.completions', 'filled', 200, 5, moment
    from generate_series(1, ${rows}::int) as i, lateral (
      select month + (now() - month) * (i / ${rows}::float8) as moment
      from (select date_trunc('month', now(), 'UTC') as month) as months
    ) as moments`;
  await sql`
    insert into ledger_entries (
      account_id, period, kind, amount, id, held, key_id, model_id, input_tokens, output_tokens, usage_source, created_at
    )
    select account_id, ${period}, 'capture', ${COST}, request_id, ${COST}, key_id, model_id, 10, 20, 'upstream', started_at
    from calls where account_id like 'acc\_filled\_%'`;
  await sql`
    insert into spend_hours (account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens)
    select account_id, ${period}, date_trunc('hour', created_at), key_id, model_id, count(*), sum(amount),
      sum(input_tokens), sum(output_tokens)
    from ledger_entries where kind = 'capture' and account_id like 'acc\_filled\_%' group by 1, 2, 3, 4, 5`;
  await sql`
    insert into account_months (account_id, period, quota, used)
    select account_id, ${period}, ${quota}, sum(amount) filter (where kind = 'capture')
    from ledger_entries where account_id like 'acc\_filled\_%' group by 1`;
  await sql`analyze`;
}
