import { type Drift, verifyLedger } from "@/server/billing";
import type { Database } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

/** `books`: the account's rows, and whether a second verification finds the same. */
type TracedDrift = Drift & { books?: string };

/**
 * All figures that differ, the first one with its rows: for a drift that occurs once in a hundred runs, the test's
 * message is the only evidence.
 */
export async function traceDrift(db: Database): Promise<TracedDrift[]> {
  const [first, ...others] = await verifyLedger(db);
  if (!first) {
    return [];
  }
  const again = await verifyLedger(db);
  const isSame = again.some(
    ({ accountId, figure }) => accountId === first.accountId && figure === first.figure,
  );
  const { accountId } = first;
  const [row] = await sqlOf(db)<{ rows: string }[]>`
    select json_build_object(
      'months', (select json_agg(row) from (
        select xmin::text, period, quota, topups, used, frozen, counts_keys from account_months
        where account_id = ${accountId}) as row),
      'holds', (select json_agg(row) from (
        select xmin::text, period, request_id, amount, captured from holds where account_id = ${accountId}) as row),
      'entries', (select json_agg(row) from (
        select xmin::text, tableoid::regclass::text as part, period, id, kind, amount, held, created_at
        from ledger_entries where account_id = ${accountId} order by created_at desc limit 20) as row),
      'hours', (select json_agg(row) from (
        select xmin::text, period, hour, calls, amount from spend_hours where account_id = ${accountId} limit 20) as row),
      'snapshot', pg_current_snapshot()::text, 'at', clock_timestamp(),
      'others', (select json_agg(row) from (
        select pid, state, left(query, 80) as query, xact_start from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle') as row)
    )::text as rows`;
  return [{ ...first, books: `again: ${isSame}; ${row?.rows ?? ""}` }, ...others];
}
