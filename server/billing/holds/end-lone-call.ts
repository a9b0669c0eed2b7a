import { type Db, isDuplicate } from "@/server/db";
import { batchRows } from "@/server/db/batch-rows";
import { sqlOf } from "@/server/db/handles";
import { addToCosts, addToHours, eachOfCosts, eachOfHours } from "./hour-sums";
import type { Settlement } from "./settlement";
import { SETTLEMENT_COLUMNS, toRow } from "./settlement-rows";
import { insertEnds } from "./statements";

const oneRow = batchRows("asked", SETTLEMENT_COLUMNS);

/**
 * Ends a lone call with a hold in one statement and one commit, for half of what a batch's statement costs. Returns false
 * if it changed nothing, because there is no such hold, the month counts its keys, or the call has an entry already.
 *
 * - `locked`: the month, under the lock that every writer takes first. `deleted`: the hold.
 * - `entries`: its ledger entry. `balances`: moves the hold out of the month, and the charge into it.
 * - `hours`, `costs`: adds the charge to this hour's spend, and its cost.
 */
export async function endLoneCall(db: Db, settlement: Settlement): Promise<boolean> {
  const sql = sqlOf(db);
  const { accountId, period, requestId, charge } = settlement;
  try {
    const rows = await sql`
      with locked as (
        select 1 from account_months
        where account_id = ${accountId} and period = ${period} and not counts_keys
        for update
      ), deleted as (
        delete from holds
        where account_id = ${accountId} and period = ${period} and request_id = ${requestId} and process_id is null
          and exists (select 1 from locked)
        returning amount as held
      ), ended as (
        select asked.*, held, held as returned from ${oneRow(sql, [toRow(settlement)])}, deleted
      ), entries as (
        ${insertEnds(sql, sql`ended`)}
      ), balances as (
        update account_months
        set used = used + ${charge?.amount.toString() ?? 0}::bigint, frozen = frozen - held
        from deleted
        where account_id = ${accountId} and period = ${period}
      )
      ${charge === null ? sql`` : sql`, hours as (${addToHours(sql, sql`(${eachOfHours(sql, sql`ended`)})`)})`}
      ${charge?.cost === undefined ? sql`` : sql`, costs as (${addToCosts(sql, sql`(${eachOfCosts(sql, sql`ended`)})`)})`}
      select 1 from deleted`;
    return rows.length > 0;
  } catch (error) {
    if (!isDuplicate(error)) {
      throw error;
    }
    return false;
  }
}
