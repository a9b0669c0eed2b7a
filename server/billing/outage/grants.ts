/** Records the parts of outage allowances in the database. */
import { type Nanos, nanos } from "@/server/base/money";
import { type Database, transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { AVAILABLE } from "../months/available";
import { openMonth } from "../months/months";
import type { PartGrant, PartRequest } from "./parts";

/**
 * `turn`: grows with each request of the process. `allowance`: of an account without its own. `keptSeconds`: how long a
 * process without news keeps its parts.
 */
export type PartTerms = {
  processId: string;
  turn: number;
  period: string;
  allowance: Nanos;
  keptSeconds: number;
  /** For a start without the database, and not for a running process. */
  isReserve?: boolean;
};

/** Reserves have together one of so many parts of an allowance. Without any, processes have all of it. */
export const RESERVED = 10n;

/**
 * Gives a process parts of accounts' allowances. The parts of all processes are together no more than the allowance, and
 * no more than the money that the account has left when they are given: an account without money is not sold more while
 * the database is away. Waits for the disk, because the crash of the database is what the parts are for.
 *
 * The months are locked by a statement of their own: the next one then sees all parts that were given before.
 *
 * Processes share the allowance evenly; reserves share a tenth of it.
 *
 * - `terms`: what may be given of each account's allowance (`room`); `held`: the other processes' parts, and this one's.
 * - `next`: this process's part. It is raised up to a fair share, and never above what the others leave.
 */
export async function grantParts(
  db: Database,
  requests: PartRequest[],
  terms: PartTerms,
): Promise<PartGrant[]> {
  const { processId, turn, period, allowance, keptSeconds, isReserve = false } = terms;
  const allowed = await findAllowed(db, requests, terms);
  if (allowed.length === 0) {
    return [];
  }
  // Without this an account would have no part from the end of a month until its first call.
  for (const { accountId } of allowed.filter(({ isOpen }) => !isOpen)) {
    await openMonth(db, { accountId, period });
  }
  const accountIds = allowed.map(({ accountId }) => accountId);
  const mosts = new Map(requests.map(({ accountId, most }) => [accountId, most]));
  return await transaction(db, async (tx) => {
    const sql = sqlOf(tx);
    await sql`
      select 1 from account_months where account_id = any(${accountIds}) and period = ${period}
      order by account_id for update`;
    const rows = await sql<{ accountId: AccountId; amount: string; share: string }[]>`
      with asked as (
        select * from unnest(
          ${accountIds}::text[], ${accountIds.map((id) => mosts.get(id)?.toString() ?? "0")}::bigint[]
        ) as asked (account_id, most)
      ), terms as (
        select asked.account_id, most, greatest(
          least(coalesce(outage_allowance, ${allowance.toString()}::bigint), ${sql.unsafe(AVAILABLE)}), 0
        ) as room
        from asked join accounts on accounts.id = asked.account_id
        join account_months as month on month.account_id = asked.account_id and month.period = ${period}
        where status = 'active'
      ), held as (
        select account_id, coalesce(sum(amount) filter (where process_id <> ${processId}), 0)::bigint as others,
          count(*) filter (where process_id <> ${processId} and starts_with(process_id, 'reserve_') = ${isReserve})
            as sharers,
          bool_or(starts_with(process_id, 'reserve_')) as has_reserve,
          max(amount) filter (where process_id = ${processId}) as own
        from outage_parts where account_id = any(${accountIds}) group by 1
      ), shares as (
        select account_id, most, coalesce(own, 0) as own, room - coalesce(others, 0) as rest,
          case
            when ${isReserve} then room / ${RESERVED.toString()}::bigint
            when has_reserve then room - room / ${RESERVED.toString()}::bigint
            else room
          end / (1 + coalesce(sharers, 0)) as share
        from terms left join held using (account_id)
      ), next as (
        select account_id, share, greatest(least(own, most), least(share, rest), 0) as amount from shares
      ), stored as (
        insert into outage_parts (account_id, process_id, amount, turn, expires_at)
        select account_id, ${processId}, amount, ${turn}, now() + make_interval(secs => ${keptSeconds}) from next
        on conflict (account_id, process_id) do update
        set amount = excluded.amount, turn = excluded.turn, expires_at = excluded.expires_at
        where outage_parts.turn < excluded.turn
      )
      select account_id as "accountId", amount::text, share::text from next`;
    return rows.map(({ accountId, ...row }) => ({
      accountId,
      amount: nanos(row.amount),
      share: nanos(row.share),
    }));
  });
}

/** The accounts with an allowance, and those whose part must shrink. Most accounts have none, and no lock is taken. */
async function findAllowed(
  db: Database,
  asked: PartRequest[],
  { allowance, period }: PartTerms,
): Promise<{ accountId: AccountId; isOpen: boolean }[]> {
  return await sqlOf(db)<{ accountId: AccountId; isOpen: boolean }[]>`
    select id as "accountId", exists (
      select 1 from account_months where account_id = accounts.id and period = ${period}
    ) as "isOpen"
    from accounts
    where id = any(${asked.map(({ accountId }) => accountId)})
      and (
        coalesce(outage_allowance, ${allowance.toString()}::bigint) > 0
        or id = any(${asked.flatMap(({ accountId, most }) => (most > 0n ? [accountId] : []))})
      )
    order by id`;
}

/**
 * Returns a process's parts, which it must not use any more: all, or those of some accounts that were given up to a
 * `turn`. If this commits late, it does not take what the process has been given since.
 */
export async function returnParts(
  db: Database,
  processId: string,
  { accountIds = null, turn = null }: { accountIds?: AccountId[] | null; turn?: number | null } = {},
): Promise<void> {
  await sqlOf(db)`
    delete from outage_parts
    where process_id = ${processId} and (${turn}::bigint is null or turn <= ${turn}::bigint)
      and (${accountIds}::text[] is null or account_id = any(${accountIds}::text[]))`;
}

/**
 * Returns the parts of processes that have not been heard of for longer than they may use them. After a restart of the
 * database they have the time of a lease to take their charges off.
 */
export async function returnExpiredParts(db: Database, leaseSeconds: number): Promise<void> {
  await sqlOf(db)`
    delete from outage_parts
    where expires_at < now() and pg_postmaster_start_time() < now() - make_interval(secs => ${leaseSeconds})`;
}
