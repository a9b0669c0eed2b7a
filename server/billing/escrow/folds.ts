import type { Nanos } from "@/server/base/money";
import { type Db, inEachStatement } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { lockHolds, lockMonths, moveKeyMonths, onlyAccount } from "../holds/statements";

/** The money to recall: what is set aside for an account, or for one of its keys. */
export type Recall = { accountId: AccountId; keyId?: KeyId | undefined };

/**
 * The next state of an escrow: `keep` is the amount that its calls under way hold, possibly zero, and the rest goes
 * back. null: it has no calls and is deleted.
 */
export type Fold = { id: string; accountId: AccountId; period: string; keep: Nanos | null };

/**
 * Adds the charges of escrows' calls to their months and returns the money that is not needed, in one statement. An
 * escrow without calls is deleted. Repeating it changes nothing. It makes no charge, so it need not wait for the disk.
 *
 * - `asked`: the escrows; `locked`: their months, locked before the escrow rows, as in every writer.
 * - `rows`: each escrow as it is now; it cannot keep more than it has. `kept`, `closed`: the escrows that stay, and
 *   those that are deleted.
 * - `balances`, `key_balances`: moves captured amounts from frozen to used, and returns the rest.
 */
async function foldTogether(db: Db, folds: Fold[]): Promise<void> {
  const sql = sqlOf(db);
  const only = onlyAccount(folds);
  await sql`
    with asked as (
      select * from unnest(
        ${folds.map(({ id }) => id)}::text[], ${folds.map(({ accountId }) => accountId)}::text[],
        ${folds.map(({ period }) => period)}::text[], ${folds.map(({ keep }) => keep?.toString() ?? null)}::bigint[]
      ) as asked (request_id, account_id, period, keep)
    ), locked as (${lockMonths(sql, only)}), held as (${lockHolds(sql, only, folds.length)}), rows as (
      select request_id, account_id, period, key_id, amount, captured, least(coalesce(keep, 0), amount) as keep,
        keep is null as is_over
      from held join asked using (request_id, account_id, period)
      where process_id is not null
    ), kept as (
      update holds set amount = rows.keep, captured = 0, in_use = rows.keep
      from rows
      where holds.account_id = rows.account_id and holds.period = rows.period and holds.request_id = rows.request_id
        and not is_over and (holds.account_id = ${only} or ${only}::text is null)
    ), closed as (
      delete from holds using rows
      where holds.account_id = rows.account_id and holds.period = rows.period and holds.request_id = rows.request_id
        and is_over and (holds.account_id = ${only} or ${only}::text is null)
    ), balances as (
      update account_months as month
      set used = month.used + total.captured, frozen = month.frozen - total.returned
      from (
        select account_id, period, sum(captured)::bigint as captured, sum(amount - keep)::bigint as returned
        from rows group by 1, 2
      ) as total
      where month.account_id = total.account_id and month.period = total.period
        and (month.account_id = ${only} or ${only}::text is null)
    )
    ${moveKeyMonths(
      sql,
      sql`(
        select account_id, period, key_id, captured as used, keep - amount as frozen
        from rows join locked using (account_id, period)
        where counts_keys
      )`,
    )}`;
}

/** `foldTogether` for escrows of any accounts. */
export async function foldEscrows(db: Db, folds: Fold[]): Promise<void> {
  await inEachStatement(db, folds, (together) => foldTogether(db, together));
}

/** Escrows of other processes for that account or key with money that no call has taken. */
export async function findUnusedEscrows(
  db: Db,
  { accountId, keyId, processId }: Recall & { processId: string },
): Promise<string[]> {
  const rows = await sqlOf(db)<{ id: string }[]>`
    select request_id as id from holds
    where account_id = ${accountId} and (${keyId ?? null}::text is null or key_id = ${keyId ?? null})
      and process_id <> ${processId} and expires_at > now()
      and amount > captured + in_use`;
  return rows.map(({ id }) => id);
}
