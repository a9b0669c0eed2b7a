import type { AccountId, KeyId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
import { type Db, inEachStatement } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { lockHolds, lockMonths, moveKeyMonths, onlyAccount } from "../statements";

/** What is called back: what is set aside of an account's money, or of it for one key. */
export type Recall = { accountId: AccountId; keyId?: KeyId | undefined };

/**
 * What is to become of an escrow: `keep` is what its calls under way have of it, which may be nothing, and the rest goes
 * back. null: it has none, and goes.
 */
export type Fold = { id: string; accountId: AccountId; period: string; keep: Nanos | null };

/**
 * Tells months what their escrows' calls were charged, and gives them back what is not needed, in one statement: an
 * escrow without calls goes. Done twice, the second time changes nothing. Nothing is charged here, so the
 * disk need not be waited for.
 *
 * - `asked`: the escrows; `locked`: their months, before their own rows, as in every writer.
 * - `rows`: what each has, as it is now; one that came late keeps no more than that. `kept`, `closed`: what stays, and what
 *   goes.
 * - `balances`, `key_balances`: moves what was captured from frozen to used, and the rest back.
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

/** `foldTogether` for folds of any accounts. */
export async function foldEscrows(db: Db, folds: Fold[]): Promise<void> {
  await inEachStatement(db, folds, (together) => foldTogether(db, together));
}

/** What other processes than this one have set aside of that money which no call of theirs has taken. */
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
