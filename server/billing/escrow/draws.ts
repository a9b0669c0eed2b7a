import type { Nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import {
  type Drawn,
  findEnds,
  firstOfEach,
  type Settlement,
  type SettlementOutcome,
  toRow,
} from "../holds/settlements";
import { addToCosts, addToHours, insertEnds, onlyAccount, settlementColumns } from "../holds/statements";

/** The end of a call that is paid out of an escrow. */
export type Draw = Settlement & { draw: Drawn };

/**
 * Ends a batch of calls that are paid out of escrows, each by a capture or a release, in one statement and one commit.
 * The charges are added to the escrow and reach its month when the escrow is folded, so no month is locked during the
 * disk write. A missing escrow pays for nothing (`gone`: `endHolds` may charge late), and a call that has ended does
 * not end a second time. `inUseOf` returns the amount that an escrow's calls under way hold now; null for another
 * process's escrow. Drawing on our own escrow also renews its lease, because a renewal finds the row locked by draws.
 *
 * - `asked`: the batch; of two ends of one call, the first.
 * - `escrows`: the escrows that exist. From here on, no other statement can fold or sweep them.
 * - `entries`: the new ledger entries. `drawn`: the calls that these entries end.
 * - `captured`: adds the charges to the escrows. `hours`, `costs`: adds the charges to this hour's spend, and their
 *   cost.
 */
export async function drawOnEscrows(
  db: Db,
  draws: Draw[],
  { inUseOf, leaseSeconds }: { inUseOf: (escrowId: string) => Nanos | null; leaseSeconds: number },
): Promise<SettlementOutcome[]> {
  const sql = sqlOf(db);
  const firsts = firstOfEach(draws);
  const only = onlyAccount(firsts);
  const records = firsts.map((settlement) => ({
    ...toRow(settlement),
    escrow_id: settlement.draw.escrowId,
    held: settlement.draw.held.toString(),
    in_use: inUseOf(settlement.draw.escrowId)?.toString() ?? null,
  }));
  const rows = await sql<{ id: string }[]>`
    with asked as (
      select * from json_to_recordset(${JSON.stringify(records)}::text::json) as asked (
        ${settlementColumns(sql)}, escrow_id text, held bigint, in_use bigint
      )
    ), escrows as (
      select hold.* from (
        select distinct account_id, period, escrow_id from asked order by 1, 2, 3
      ) as wanted, lateral (
        select account_id, period, request_id as escrow_id from holds
        where account_id = wanted.account_id and period = wanted.period and request_id = wanted.escrow_id
          and (account_id = ${only} or ${only}::text is null)
        for update
      ) as hold
    ), entries as (
      ${insertEnds(
        sql,
        sql`(
          select asked.*, held as returned from asked join escrows using (account_id, period, escrow_id)
        )`,
      )}
      returning id
    ), drawn as (
      select asked.* from asked join entries on entries.id = request_id
    ), captured as (
      update holds
      set captured = captured + total.charge, in_use = coalesce(total.in_use, holds.in_use),
        expires_at = coalesce(total.expires_at, holds.expires_at)
      from (
        select account_id, period, escrow_id, sum(coalesce(charge, 0))::bigint as charge, min(in_use) as in_use,
          case when min(in_use) is not null then now() + make_interval(secs => ${leaseSeconds}) end as expires_at
        from drawn group by 1, 2, 3
      ) as total
      where holds.account_id = total.account_id and holds.period = total.period
        and holds.request_id = total.escrow_id and (holds.account_id = ${only} or ${only}::text is null)
    ), hours as (${addToHours(sql, sql`(select * from drawn where charge is not null)`)}),
    costs as (${addToCosts(sql, sql`(select * from drawn where charge is not null)`)})
    select id from entries`;
  const drawn = new Set(rows.map(({ id }) => id));
  const ended = new Set(firsts.filter(({ requestId }) => drawn.has(requestId)));
  if (ended.size === draws.length) {
    return draws.map(() => "ended");
  }
  const ends = await findEnds(db, draws);
  return draws.map((draw) => (ended.has(draw) ? "ended" : (ends.get(draw.requestId)?.kind ?? "gone")));
}
