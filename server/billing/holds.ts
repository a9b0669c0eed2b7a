import type { ISql } from "postgres";

type Sql = ISql;

export type HoldRequest = {
  requestId: string;
  accountId: string;
  period: string;
  amount: bigint;
  /** Less than this is of no use to the caller; equal to `amount` for all or nothing. */
  minimum: bigint;
};

/** `granted` null: not enough. `available` null: the account has no such month yet. Both before this batch. */
export type HoldOutcome = { granted: bigint | null; available: bigint | null };

/**
 * Freezes money for a batch of calls in one statement and one commit. Requests of one account are served in order,
 * each from what the ones before it left. The month rows are locked in id order, as every writer of them does, so
 * writers wait for each other and never in a circle. A request id is never sent twice.
 */
export async function insertHolds(
  sql: Sql,
  requests: HoldRequest[],
  leaseSeconds: number,
): Promise<HoldOutcome[]> {
  const rows = requests.map((request) => ({
    request_id: request.requestId,
    account_id: request.accountId,
    period: request.period,
    amount: request.amount.toString(),
    minimum: request.minimum.toString(),
  }));
  const outcomes = await sql<{ granted: string | null; available: string | null }[]>`
    with asked as (
      select * from rows from (
        json_to_recordset(${JSON.stringify(rows)}::text::json)
          as (request_id text, account_id text, period text, amount bigint, minimum bigint)
      ) with ordinality as asked (request_id, account_id, period, amount, minimum, position)
    ), locked as (
      select account_id, period, quota + topups - used - frozen as available
      from account_months
      where (account_id, period) in (select account_id, period from asked)
      order by account_id, period
      for update
    ), queued as (
      -- What cannot be granted at all takes nothing from those behind it.
      select asked.*, available - coalesce(sum(amount) filter (where minimum <= available) over earlier, 0) as remaining
      from asked join locked using (account_id, period)
      window earlier as (
        partition by account_id, period order by position rows between unbounded preceding and 1 preceding
      )
    ), granted as (
      select request_id, account_id, period, least(amount, remaining)::bigint as amount
      from queued
      where least(amount, remaining) >= minimum
    ), balances as (
      update account_months as month
      set frozen = month.frozen + added.amount
      from (select account_id, period, sum(amount)::bigint as amount from granted group by 1, 2) as added
      where month.account_id = added.account_id and month.period = added.period
    ), stored as (
      insert into holds (request_id, account_id, period, amount, expires_at)
      select request_id, account_id, period, amount, now() + make_interval(secs => ${leaseSeconds})
      from granted
    )
    select granted.amount::text as granted, locked.available::text as available
    from asked
    left join granted using (request_id)
    left join locked on locked.account_id = asked.account_id and locked.period = asked.period
    order by position`;
  return outcomes.map((row) => ({
    granted: row.granted === null ? null : BigInt(row.granted),
    available: row.available === null ? null : BigInt(row.available),
  }));
}

/** Renews the leases of calls under way. Never waits: a row that is being ended needs no lease. */
export async function renewHolds(sql: Sql, requestIds: string[], leaseSeconds: number): Promise<void> {
  await sql`
    update holds set expires_at = now() + make_interval(secs => ${leaseSeconds})
    where request_id in (
      select request_id from holds where request_id = any(${requestIds}) for update skip locked
    )`;
}

/** Gives an account its month, with the grant that opens it. Twice changes nothing. */
export async function openMonth(sql: Sql, month: { accountId: string; period: string }): Promise<void> {
  await sql`
    with opened as (
      insert into account_months (account_id, period, quota)
      select id, ${month.period}, monthly_quota from accounts where id = ${month.accountId}
      on conflict do nothing
      returning account_id, period, quota
    )
    insert into ledger_entries (account_id, period, kind, amount)
    select account_id, period, 'grant', quota from opened`;
}
