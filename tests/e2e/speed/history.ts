/** The past of a large installation, written by SQL: log, attempts, ledger, months and hourly sums, which add up. */
import type { Sql } from "postgres";
import { makeLedgerMonths } from "@/server/billing";
import { makeCallMonths } from "@/server/calls/call-months";
import type { Database } from "@/server/db";
import { forgetDaySums } from "@/tests/support/day-sums";
import { withoutIndexes } from "@/tests/support/without-indexes";

/** `largest`: the account with the most calls, which its owner opens. The other accounts are made here. */
export type Installation = {
  calls: number;
  zone: string;
  largest: { accountId: string; keyId: string };
  models: string[];
  channels: string[];
};

/** The age of the log's oldest calls (REQUEST_LOG_DAYS). */
const DAYS = 89;
const DAY_MS = 86_400_000;
const KEYS_OF_ACCOUNT = 5;
/** No hold of these accounts fails. Nano-units. */
const QUOTA = 900_000_000_000_000;

/** More calls come from more accounts, and from more calls of each. */
const accountsOf = ({ calls }: Pick<Installation, "calls">) => Math.round(Math.sqrt(calls) / 5);

async function fillPeople(sql: Sql, { largest, ...installation }: Installation): Promise<void> {
  const accounts = accountsOf(installation);
  await sql`
    insert into accounts (id, name, monthly_quota, created_at)
    select 'acc_' || lpad(to_hex(i), 32, '0'), 'Customer ' || i, ${QUOTA}, now() - interval '100 days'
    from generate_series(1, ${accounts - 1}::int) as i`;
  await sql`
    insert into api_keys (id, account_id, name, hash, last_four, created_at)
    select 'key_' || lpad(to_hex(i * 16 + k), 32, '0'),
      case when i = 0 then ${largest.accountId} else 'acc_' || lpad(to_hex(i), 32, '0') end,
      'key ' || k, 'no secret ' || i || '-' || k, lpad(k::text, 4, '0'), now() - interval '100 days'
    from generate_series(0, ${accounts - 1}::int) as i, generate_series(1, ${KEYS_OF_ACCOUNT}::int) as k`;
  await sql`update accounts set monthly_quota = ${QUOTA} where id = ${largest.accountId}`;
}

/** Few accounts and keys have most calls, and a key has its usual model: powers of `random()` favour the first. */
async function fillCalls(sql: Sql, { calls, largest, models, channels, ...rest }: Installation) {
  const accounts = accountsOf({ calls, ...rest });
  await sql`select setseed(0.5)`;
  await sql`
    insert into calls (
      request_id, account_id, key_id, endpoint, model_id, channel_id, status, error, is_stream, first_token_ms,
      elapsed_ms, address, started_at
    )
    select 'req_' || lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || lpad(to_hex(i), 20, '7'),
      case when a = 0 then ${largest.accountId} else 'acc_' || lpad(to_hex(a), 32, '0') end,
      case when a = 0 and k = 0 then ${largest.keyId} else 'key_' || lpad(to_hex(a * 16 + k + 1), 32, '0') end,
      'chat.completions', (${models}::text[])[model], (${channels}::text[])[model % ${channels.length}::int + 1],
      case when fault then 502 else 200 end, case when fault then 'upstreams_unavailable' end,
      i % 3 <> 0, case when i % 3 <> 0 then 180 + i % 400 end, 400 + (i * 7919 % 6000)::int, '203.0.113.24', moment
    from (
      select i, now() - ${DAYS}::int * interval '1 day' * (1 - i / ${calls}::float8) as moment,
        floor(${accounts}::int * random() ^ 2)::int as a, floor(${KEYS_OF_ACCOUNT}::int * random() ^ 2)::int as k,
        floor(3 * random() ^ 4)::int as other, random() < 0.01 as fault
      from generate_series(1, ${calls}::bigint) as i
    ) as drawn, lateral (select (a * 3 + k + other) % ${models.length}::int + 1 as model) as chosen`;
  await sql`
    insert into call_attempts (
      account_id, request_id, position, channel_id, operation, credential, model_id, began_at, status, outcome, head_ms,
      first_ms, elapsed_ms
    )
    select account_id, request_id, 0, channel_id, 'chat', '0001', model_id, started_at, status,
      case when status = 200 then 'ok' else 'refused' end, elapsed_ms / 2, first_token_ms, elapsed_ms
    from calls`;
}

async function fillLedger(sql: Sql, { zone }: Installation): Promise<void> {
  await sql`
    insert into ledger_entries (
      account_id, period, kind, amount, id, held, cost, key_id, model_id, channel_id, prices, input_tokens,
      cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, usage_source,
      created_at
    )
    select account_id, to_char(started_at at time zone ${zone}, 'YYYY-MM'), 'capture', elapsed_ms * 10000, request_id,
      elapsed_ms * 20000, elapsed_ms * 7000, key_id, model_id, channel_id, '{"input": "5000", "output": "5000"}',
      elapsed_ms, elapsed_ms / 4, 0, 0, elapsed_ms - elapsed_ms / 4, 0, 'upstream', started_at
    from calls where error is null`;
}

async function sumLedger(sql: Sql, { zone }: Installation): Promise<void> {
  await sql`
    insert into account_months (account_id, period, quota, used)
    select account_id, period, ${QUOTA}, sum(amount) from ledger_entries where kind = 'capture' group by 1, 2`;
  await sql`
    insert into ledger_entries (id, account_id, period, kind, amount, created_at)
    select 'grant_' || period, account_id, period, 'grant', quota,
      to_date(period, 'YYYY-MM')::timestamp at time zone ${zone}
    from account_months`;
  // Two processes: two shards. In the order of time, as charges write them.
  await sql`
    insert into spend_hours (
      account_id, period, hour, key_id, model_id, shard, calls, amount, input_tokens, output_tokens, cached_tokens,
      cached_of_tokens
    )
    select account_id, period, date_trunc('hour', created_at, 'UTC'), key_id, model_id, held / 20000 % 2, count(*),
      sum(amount), sum(input_tokens + cache_read_tokens), sum(output_tokens), sum(cache_read_tokens),
      sum(input_tokens + cache_read_tokens)
    from ledger_entries where kind = 'capture' group by 1, 2, 3, 4, 5, 6 order by 3`;
  await sql`
    insert into cost_hours (account_id, period, hour, channel_id, model_id, shard, calls, amount, cost)
    select account_id, period, date_trunc('hour', created_at, 'UTC'), channel_id, model_id, held / 20000 % 2,
      count(*), sum(amount), sum(cost)
    from ledger_entries where kind = 'capture' group by 1, 2, 3, 4, 5, 6 order by 3`;
}

/** Writes the past into an installation whose accounts have had no call yet. */
export async function fillHistory(sql: Sql, db: Database, installation: Installation): Promise<void> {
  const now = Date.now();
  for (const days of [DAYS + 1, DAYS / 2]) {
    const from = new Date(now - days * DAY_MS);
    await makeCallMonths(db, from);
    await makeLedgerMonths(db, from.toISOString().slice(0, 7));
  }
  await fillPeople(sql, installation);
  const filled = ["calls", "call_attempts", "ledger_entries", "spend_hours", "cost_hours"];
  await withoutIndexes(sql, filled, async () => {
    await fillCalls(sql, installation);
    await fillLedger(sql, installation);
    await sumLedger(sql, installation);
  });
  await forgetDaySums(sql);
}
