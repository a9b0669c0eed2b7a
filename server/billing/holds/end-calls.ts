import type { Db } from "@/server/db";
import { batchRows } from "@/server/db/batch-rows";
import { sqlOf } from "@/server/db/handles";
import { type Closing, latestClosings } from "../closing/chain";
import { LATE, OUTAGE } from "./charge-notes";
import { endLoneCall } from "./end-lone-call";
import { addToCosts, addToHours, eachOfCosts, eachOfHours } from "./hour-sums";
import { findEnds, type RecordedEnd } from "./recorded-ends";
import type { Settlement, SettlementOutcome } from "./settlement";
import { SETTLEMENT_COLUMNS, toRow } from "./settlement-rows";
import { insertEnds, isShortPossible, lockHolds, lockMonths, moveKeyMonths, onlyAccount } from "./statements";

const marked =
  (mark: string) =>
  (settlement: Settlement): Settlement => ({
    ...settlement,
    note: settlement.note === undefined ? mark : `${mark}, ${settlement.note}`,
  });

const askedRows = batchRows("asked", { ...SETTLEMENT_COLUMNS, part: "text" });

/** Outcomes by request id. */
type Ends = Map<string, SettlementOutcome>;

/** Keeps the first of several ends of one call. */
export const firstOfEach = <One extends Pick<Settlement, "requestId">>(settlements: One[]): One[] => [
  ...new Map(settlements.toReversed().map((settlement) => [settlement.requestId, settlement])).values(),
];

/**
 * The calls that a statement ends: those with a hold, those whose hold's lease has ended, or delivered ones without a
 * hold, which were late or paid by an outage allowance.
 */
type SettlementCase = "held" | "expired" | "late" | "outage";

/**
 * Ends holds, each by a capture or a release, in one statement and one commit; calls that are late, or paid by an outage
 * allowance, are charged without a hold.
 * A hold's row is deleted as it ends, and the ledger has one end per call, so repeating it changes nothing. Returns the
 * outcomes; a call that is missing from them had no hold.
 *
 * - `asked`: the batch. `locked`: the months that change. `held`: the sweeper's holds, locked in the order of all
 *   writers, because a dead process's escrow is among them. Other holds change under the lock of their month only.
 * - `deleted`: the holds that end, except renewed ones if only expired ones may end. Of an escrow a part (`captured`) was
 *   charged.
 * - `ends`: those, and the ones without a hold. `entries`: their new ledger entries, except those that exist already.
 * - `moved`: the held amounts, which leave their months, and the charges that really have a new entry. `balances`,
 *   `key_balances`: adds them to the months, and to the keys' months that are counted.
 * - `parts`: takes the charges off the parts of outage allowances that paid for them.
 * - `hours`, `costs`: adds the charges to this hour's spend, and their cost.
 */
export async function endOnce(db: Db, settlements: Settlement[], ending: SettlementCase): Promise<Ends> {
  const sql = sqlOf(db);
  const [isExpired, isOutage] = [ending === "expired", ending === "outage"];
  const isWithoutHold = ending === "late" || isOutage;
  const only = onlyAccount(settlements);
  const named = isWithoutHold ? settlements.map(marked(isOutage ? OUTAGE : LATE)) : settlements;
  const rows = named.map((settlement) => ({ ...toRow(settlement), part: settlement.part }));
  const hasCharges = settlements.some(({ charge }) => charge !== null);
  const hasCosts = settlements.some(({ charge }) => charge?.cost !== undefined);
  const ended = await sql<{ id: string; outcome: SettlementOutcome }[]>`
    with asked as (
      select * from ${askedRows(sql, rows)}
    ), locked as (${lockMonths(sql, only)})
    ${isExpired ? sql`, held as (${lockHolds(sql, only, settlements.length)})` : sql``}
    , deleted as (
      delete from holds using asked ${isExpired ? sql`join held using (account_id, period, request_id)` : sql``}
      where holds.account_id = asked.account_id and holds.period = asked.period
        and holds.request_id = asked.request_id and (holds.account_id = ${only} or ${only}::text is null)
        and ${isExpired ? sql`is_expired` : sql`(select count(*) from locked) > 0`}
      returning asked.*, holds.key_id as held_by, holds.amount as held, holds.captured
    ), ends as (
      select * from deleted
      ${
        isWithoutHold
          ? sql`
            union all
            select asked.*, null, 0, 0 from asked join locked using (account_id, period)
            where request_id not in (select request_id from deleted)`
          : sql``
      }
    ), entries as (
      ${insertEnds(sql, sql`(select *, greatest(held - captured, 0) as returned from ends)`)}
      on conflict (account_id, id, is_lost, period) do nothing
      returning id, account_id, period, key_id, model_id, channel_id, case kind when 'capture' then amount end as charge,
        input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, cost
    ), moved as (
      select account_id, period, held_by as key_id, captured as used, -held as frozen, 0 as charge from deleted
      union all
      select account_id, period, key_id, charge, 0, charge from entries where charge is not null
    ), balances as (
      update account_months as month
      set used = month.used + total.used, frozen = month.frozen + total.frozen
        ${isOutage ? sql`, outage = month.outage + total.charge` : sql``}
      from (
        select account_id, period, sum(used)::bigint as used, sum(frozen)::bigint as frozen,
          sum(charge)::bigint as charge
        from moved group by 1, 2
      ) as total
      where month.account_id = total.account_id and month.period = total.period
        and (month.account_id = ${only} or ${only}::text is null)
    ), key_balances as (
      ${moveKeyMonths(
        sql,
        sql`(
          select account_id, period, key_id, used, frozen from moved join locked using (account_id, period)
          where counts_keys
        )`,
      )}
    )
    ${
      isOutage
        ? sql`, parts as (
          update outage_parts as part set amount = greatest(part.amount - paid.charge, 0)
          from (
            select asked.account_id, part, sum(entries.charge)::bigint as charge
            from asked join entries on asked.account_id = entries.account_id and request_id = id
            group by 1, 2
          ) as paid
          where part.account_id = paid.account_id and part.process_id = paid.part
        )`
        : sql``
    }
    ${hasCharges ? sql`, hours as (${addToHours(sql, sql`(${eachOfHours(sql, sql`entries`)})`)})` : sql``}
    ${hasCosts ? sql`, costs as (${addToCosts(sql, sql`(${eachOfCosts(sql, sql`entries`)})`)})` : sql``}
    ${
      isWithoutHold
        ? sql`
          select request_id as id, case
            when request_id in (select request_id from deleted) then 'ended'
            when request_id in (select id from entries) then 'late'
            -- Another statement recorded the charge of this late call meanwhile.
            else 'capture'
          end as outcome
          from ends`
        : sql`select request_id as id, 'ended' as outcome from deleted`
    }`;
  return new Map(ended.map(({ id, outcome }) => [id, outcome]));
}

/**
 * The delivered calls to charge although their hold is gone, once each. None in a month whose entries are archived,
 * because the database cannot show whether they were charged then.
 */
async function lateOf(
  db: Db,
  settlements: Settlement[],
  ends: Map<string, RecordedEnd>,
): Promise<Settlement[]> {
  const late = settlements.filter(({ requestId, charge, late }) => {
    const end = ends.get(requestId);
    return charge !== null && late !== undefined && (end ? end.isLost : late === "missing");
  });
  return firstOfEach(await withoutArchived(db, late));
}

async function withoutArchived(db: Db, settlements: Settlement[]): Promise<Settlement[]> {
  const closings = settlements.length === 0 ? new Map<string, Closing>() : await latestClosings(db);
  return settlements.filter(({ period }) => !closings.get(period)?.archivedAt);
}

/**
 * Charges a batch of calls that outage allowances paid. `gone`: the call has no entry, because its month is not open, or
 * is archived.
 */
export async function endOutageCalls(db: Db, settlements: Settlement[]): Promise<SettlementOutcome[]> {
  const open = firstOfEach(await withoutArchived(db, settlements));
  const charged =
    open.length === 0 ? new Map<string, SettlementOutcome>() : await endOnce(db, open, "outage");
  const isCharged = ({ requestId }: Settlement) => /^(ended|late)$/.test(charged.get(requestId) ?? "");
  const missed = settlements.filter((settlement) => !isCharged(settlement));
  const ends = missed.length === 0 ? new Map<string, RecordedEnd>() : await findEnds(db, missed);
  return settlements.map((settlement) =>
    isCharged(settlement) ? "ended" : (ends.get(settlement.requestId)?.kind ?? "gone"),
  );
}

/**
 * Ends a batch of calls with single holds, each by a capture or a release. For calls without a hold, a second statement
 * finds the reason, and a third one charges those that may be charged late.
 */
export async function endHolds(db: Db, settlements: Settlement[]): Promise<SettlementOutcome[]> {
  const [lone] = settlements;
  if (lone && settlements.length === 1 && isShortPossible(db) && (await endLoneCall(db, lone))) {
    return ["ended"];
  }
  const firsts = firstOfEach(settlements);
  const ended = await endOnce(db, firsts, "held");
  const outcomes = new Map(firsts.map((first) => [first, ended.get(first.requestId)]));
  const missed = settlements.filter((settlement) => outcomes.get(settlement) === undefined);
  if (missed.length === 0) {
    return settlements.map((settlement) => outcomes.get(settlement) ?? "gone");
  }
  let ends = await findEnds(db, missed);
  const late = await lateOf(db, missed, ends);
  if (late.length > 0) {
    const charged = await endOnce(db, late, "late");
    for (const settlement of late) {
      outcomes.set(settlement, charged.get(settlement.requestId));
    }
    ends = await findEnds(db, missed);
  }
  return settlements.map(
    (settlement) => outcomes.get(settlement) ?? ends.get(settlement.requestId)?.kind ?? "gone",
  );
}
