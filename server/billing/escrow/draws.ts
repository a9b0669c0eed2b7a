import type { Fragment } from "postgres";
import type { Nanos } from "@/server/base/money";
import { type Db, isDuplicate } from "@/server/db";
import { batchRows } from "@/server/db/batch-rows";
import { sqlOf } from "@/server/db/handles";
import { firstOfEach } from "../holds/end-calls";
import { addToCosts, addToHours } from "../holds/hour-sums";
import { findEnds, findEntered } from "../holds/recorded-ends";
import type { SettlementOutcome } from "../holds/settlement";
import { SETTLEMENT_COLUMNS, toRow } from "../holds/settlement-rows";
import { insertEnds, onlyAccount } from "../holds/statements";
import { costRows, costsOf, type Draw, escrowRows, escrowsOf, hourRows, hoursOf } from "./draw-sums";

const drawnRows = batchRows("asked", { ...SETTLEMENT_COLUMNS, escrow_id: "text", held: "bigint" });

/** `inUseOf`: the amount that an escrow's calls under way hold now; null: it is another process's escrow. */
type DrawTerms = { inUseOf: (escrowId: string) => Nanos | null; leaseSeconds: number };

/**
 * The part of a lease after which a draw renews it, so that most draws leave the row's place in the index of expiry as
 * it is. An escrow pays for a shorter part of a lease than the rest (`index.ts`).
 */
export const RENEWED_AFTER = 0.05;

/**
 * Ends calls that have not ended, in one statement and one commit. Returns the request ids of those whose escrow exists.
 * Throws a duplicate, and changes nothing, if one of them has ended in the same way.
 *
 * - `escrows`: adds the charges to the escrows that exist, in the order in which every writer locks rows. From here on,
 *   no other statement can fold or sweep them.
 * - `entries`: the ledger entries of their calls. `hours`, `costs`: adds their charges to this hour's spend, and their
 *   cost.
 */
async function drawOnce(db: Db, draws: Draw[], { inUseOf, leaseSeconds }: DrawTerms): Promise<Set<string>> {
  const sql = sqlOf(db);
  const only = onlyAccount(draws);
  const ends = draws.map((draw) => ({
    ...toRow(draw),
    escrow_id: draw.draw.escrowId,
    held: draw.draw.held.toString(),
  }));
  const [hours, costs] = [hoursOf(draws), costsOf(draws)];
  /** The sums of the escrows that exist. */
  const paidNow = (sums: Fragment) =>
    sql`(select * from ${sums} join escrows using (account_id, period, escrow_id))`;
  const rows = await sql<{ id: string }[]>`
    with escrows as (
      update holds
      set captured = captured + charge, in_use = coalesce(asked.in_use, holds.in_use),
        expires_at = case
          when asked.in_use is not null and expires_at < renewed_before then renewed_until else expires_at
        end
      from (
        -- The clock is read here: Citus refuses it in the choice above.
        select *, now() + make_interval(secs => ${leaseSeconds * (1 - RENEWED_AFTER)}) as renewed_before,
          now() + make_interval(secs => ${leaseSeconds}) as renewed_until
        from ${escrowRows(sql, escrowsOf(draws, inUseOf))} order by 1, 2, 3
      ) as asked
      where holds.account_id = asked.account_id and holds.period = asked.period
        and holds.request_id = asked.escrow_id and (holds.account_id = ${only} or ${only}::text is null)
      returning holds.account_id, holds.period, holds.request_id as escrow_id
    ), entries as (
      ${insertEnds(
        sql,
        sql`(
          select *, held as returned from ${drawnRows(sql, ends)} join escrows using (account_id, period, escrow_id)
        )`,
      )}
      returning id
    )
    ${hours.length === 0 ? sql`` : sql`, hours as (${addToHours(sql, paidNow(hourRows(sql, hours)))})`}
    ${costs.length === 0 ? sql`` : sql`, costs as (${addToCosts(sql, paidNow(costRows(sql, costs)))})`}
    select id from entries`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Ends a batch of calls that are paid out of escrows, each by a capture or a release. The charges are added to the
 * escrow and reach its month when the escrow is folded, so no month is locked during the disk write. A missing escrow
 * pays for nothing (`gone`: `endHolds` may charge late), and a call that has ended does not end a second time. Drawing
 * on our own escrow also renews its lease, because a renewal finds the row locked by draws.
 */
export async function drawOnEscrows(db: Db, draws: Draw[], terms: DrawTerms): Promise<SettlementOutcome[]> {
  const firsts = firstOfEach(draws);
  let open = firsts;
  let drawn = new Set<string>();
  while (open.length > 0) {
    try {
      drawn = await drawOnce(db, open, terms);
      break;
    } catch (error) {
      // A call is hardly ever ended twice: only after an answer that was lost. So the ledger is asked only then.
      const entered = isDuplicate(error) ? await findEntered(db, open) : new Set<Draw>();
      if (entered.size === 0) {
        throw error;
      }
      open = open.filter((draw) => !entered.has(draw));
    }
  }
  const ended = new Set(firsts.filter(({ requestId }) => drawn.has(requestId)));
  if (ended.size === draws.length) {
    return draws.map(() => "ended");
  }
  const ends = await findEnds(db, draws);
  return draws.map((draw) => (ended.has(draw) ? "ended" : (ends.get(draw.requestId)?.kind ?? "gone")));
}
