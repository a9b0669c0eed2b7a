/** Fragments that the money statements share, so that each row is locked and written in one way. */
import type { Fragment, ISql } from "postgres";
import type { Db } from "@/server/db";
import { isDistributed, isTransaction } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { AVAILABLE } from "../months/available";

/**
 * The account of a batch with a single account, otherwise null. Statements name it once more as a value, in addition to
 * the row keys: with distributed tables (decision 30), that tells the database before execution which machine runs the
 * whole statement.
 */
export function onlyAccount(rows: readonly { accountId: AccountId }[]): AccountId | null {
  const [first] = rows;
  return first && rows.every(({ accountId }) => accountId === first.accountId) ? first.accountId : null;
}

/**
 * Locks the months of `asked`, in the same order in every writer; other writers wait from here on. The lateral join
 * looks each one up by its key: for a plain join PostgreSQL might read all of them.
 */
export const lockMonths = (sql: ISql, only: AccountId | null): Fragment => sql`
  select month.* from (select distinct account_id, period from asked order by 1, 2) as wanted, lateral (
    select account_id, period, counts_keys, week_has_gone_on, used + frozen as taken,
      ${sql.unsafe(AVAILABLE)} as available
    from account_months
    where account_id = wanted.account_id and period = wanted.period and (account_id = ${only} or ${only}::text is null)
    for update
  ) as month`;

/**
 * Locks the holds of `asked` after their months (`locked`), also in one order, each by its key. `count`: their maximum
 * number, which tells PostgreSQL that they are few, so that later parts also look each one up by its key.
 */
export const lockHolds = (sql: ISql, only: AccountId | null, count: number): Fragment => sql`
  select hold.* from (
    select account_id, period, request_id from asked where (select count(*) from locked) > 0
    order by 1, 2, 3 limit ${count}
  ) as wanted, lateral (
    select account_id, period, request_id, key_id, amount, captured, process_id, expires_at < now() as is_expired
    from holds
    where account_id = wanted.account_id and period = wanted.period and request_id = wanted.request_id
      and (account_id = ${only} or ${only}::text is null)
    for update
  ) as hold`;

/** The key of a row of `holds`, for a call or an escrow; with the request id, also of a call's end in the ledger. */
export type HoldKey = { requestId: string; accountId: AccountId; period: string };

/**
 * Whether a call may be held or ended by a short statement first. The error of such a statement would undo a caller's
 * transaction, and with distributed tables every statement has the form of a batch.
 */
export const isShortPossible = (db: Db): boolean => !isTransaction(db) && !isDistributed(db);

/** A batch of keys as rows (`wanted`). */
export const namedRows = (sql: ISql, keys: HoldKey[]): Fragment => sql`
  unnest(
    ${keys.map(({ accountId }) => accountId)}::text[], ${keys.map(({ period }) => period)}::text[],
    ${keys.map(({ requestId }) => requestId)}::text[]
  ) as wanted (account_id, period, request_id)`;

/**
 * Inserts the ends of calls into the ledger. `source` has the settlement's columns and also `returned` and `held`. An
 * entry that exists already is a violation of the ledger's primary key.
 */
export const insertEnds = (sql: ISql, source: Fragment): Fragment => sql`
  insert into ledger_entries (
    id, is_lost, account_id, period, kind, amount, held, key_id, model_id, channel_id, prices, input_tokens,
    cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, units, usage_source,
    note, cost
  )
  select
    request_id, is_lost, account_id, period, case when charge is null then 'release' else 'capture' end,
    coalesce(charge, returned), held, key_id, model_id, channel_id, prices, input_tokens, cache_read_tokens,
    cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, units, usage_source, note,
    cost
  from ${source} as ends`;

/**
 * Changes what keys have used and frozen, by the rows of `moved`. The upsert also finds a row that is newer than this
 * statement's snapshot, which an update would miss.
 */
export const moveKeyMonths = (sql: ISql, moved: Fragment): Fragment => sql`
  insert into key_months (account_id, period, key_id, used, frozen)
  select account_id, period, key_id, sum(used), sum(frozen) from ${moved} as moved
  where key_id is not null
  group by 1, 2, 3
  on conflict (account_id, period, key_id) do update
  set used = key_months.used + excluded.used, frozen = key_months.frozen + excluded.frozen`;
