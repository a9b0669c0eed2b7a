import { GatewayError } from "@/server/base/errors";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, inEachStatement } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { Buyer } from "./ceilings";
import type { Bound, Payer } from "./months";
import { findEnds } from "./settlements";
import { type HoldKey, lockMonths, moveKeyMonths, namedRows, onlyAccount } from "./statements";

export type HoldRequest = Payer & {
  requestId: string;
  amount: Nanos;
  /** Less than this is of no use to the caller; equal to `amount` for all or nothing. */
  minimum: Nanos;
  /** Where there is much more than that, an escrow instead, out of which the call is paid. */
  escrow?: EscrowWish | undefined;
  /** Whose call it is, where what it is paid from may have to be told again. */
  buyer?: Buyer | undefined;
};

/** Money for the calls that a process is going to serve. `id` names its row, as a request id names a hold's. */
export type EscrowWish = { id: string; processId: string; amount: Nanos };

/**
 * What stood in the way of a freeze: a purse to be opened first, or too little money: of the account, under a limit of
 * its own, or under the key's cap.
 */
export type Shortfall = "unopened" | "account" | "limit" | "key";

/**
 * `granted` null: not enough. `isEscrow`: it is not the call's hold but the escrow that it asked for. `shortage`: what
 * would refuse it even if it came first; null where only those before it in this batch left too little.
 */
export type HoldOutcome = { granted: Nanos | null; isEscrow: boolean; shortage: Shortfall | null };

/** More than any account has: a batch must not fail for one request whose ceiling no column could hold. */
export const MAX_AMOUNT = nanos(10n ** 17n);

/** An escrow takes no more than this part of what is left: near the edge of a budget every call has its exact hold. */
const ESCROW_PART = 16;

const boundHeaders = (bound: Bound | undefined): Record<string, string> =>
  bound ? { "x-quota-window": bound.window, "x-quota-resets-at": bound.until.toISOString() } : {};

/** The 402, which tells the clients whose quota it is: topping up does not lift a cap. */
export function quotaExhausted(
  shortage: Shortfall | null,
  { keyBound, accountBound }: Pick<Payer, "keyBound" | "accountBound"> = {},
): GatewayError {
  const headers = {
    key: { "x-quota-scope": "key", ...boundHeaders(keyBound) },
    limit: { "x-quota-scope": "account", ...boundHeaders(accountBound) },
  };
  const isCap = shortage === "key" || shortage === "limit";
  return new GatewayError("quotaExhausted", "", isCap ? { headers: headers[shortage] } : {});
}

/** As `asked` names its members. */
const toRow = (request: HoldRequest) => ({
  request_id: request.requestId,
  account_id: request.accountId,
  period: request.period,
  key_id: request.keyId,
  most_of_key: request.keyCap?.toString() ?? null,
  most_of_account: request.accountCap?.toString() ?? null,
  goes_on: request.goesOn ?? false,
  amount: request.amount.toString(),
  minimum: request.minimum.toString(),
  escrow_id: request.escrow?.id ?? null,
  process_id: request.escrow?.processId ?? null,
  escrow: request.escrow?.amount.toString() ?? null,
});

/**
 * Freezes money for a batch of calls in one statement and one commit. Requests of one account are served in order,
 * each from what the ones before it left, to the account and to its key. The month rows are locked in id order, as
 * every writer of them does, so writers wait for each other and never in a circle; a key's row is read and written
 * only by who has its account's. A request id is never sent twice.
 *
 * - `asked`: the batch, in its order.
 * - `locked`: the months that it is paid from, and what each has left; whoever else moves one waits from here on.
 * - `capped`: what those keys have spent that have a cap, their rows locked behind their months'.
 *   Caps of days and weeks are told as what may be taken of the month by then (`ceilings.ts`).
 * - `budgets`: each request with what it could have at most if it came first (`affordable`).
 * - `asks`: and what it takes then: its escrow, where that is worth having, or its hold.
 * - `queued`: each with what those before it leave (`remaining`); one whose key's month is not open is left out.
 * - `granted`: those that get at least their minimum, and how much.
 * - `balances`, `key_balances`: adds that to what the months, and the keys' months that are counted, have frozen.
 * - `stored`: the holds.
 */
export async function insertHolds(
  db: Db,
  requests: HoldRequest[],
  leaseSeconds: number,
): Promise<HoldOutcome[]> {
  const sql = sqlOf(db);
  const only = onlyAccount(requests);
  const rows = requests.map(toRow);
  const outcomes = await sql<{ granted: string | null; isEscrow: boolean; shortage: Shortfall | null }[]>`
    with asked as (
      select * from rows from (
        json_to_recordset(${JSON.stringify(rows)}::text::json) as (
          request_id text, account_id text, period text, key_id text, most_of_key bigint, most_of_account bigint,
          goes_on boolean, amount bigint, minimum bigint, escrow_id text, process_id text, escrow bigint
        )
      ) with ordinality as asked (
        request_id, account_id, period, key_id, most_of_key, most_of_account, goes_on, amount, minimum, escrow_id,
        process_id, escrow, position
      )
    ), locked as (${lockMonths(sql, only)}), capped as (
      select wanted.*, spent
      from (
        select distinct account_id, key_id, period from asked
        -- Reads all of "locked" first: month rows before their keys' rows, in every writer.
        where most_of_key is not null and (select count(*) from locked) > 0
          and (account_id, period) in (select account_id, period from locked where counts_keys)
      ) as wanted, lateral (
        select used + frozen as spent from key_months
        where account_id = wanted.account_id and period = wanted.period and key_id = wanted.key_id
          and (account_id = ${only} or ${only}::text is null)
        for update
      ) as key_month
    ), budgets as (
      -- "least" passes over nulls: no cap.
      select capable.*, least(available, key_cap - spent) as affordable
      from (
        select asked.*, counts_keys, spent, available as of_month,
          least(available, most_of_account - taken) as available,
          -- What the week has left is to be had in the next month.
          case when goes_on and week_has_gone_on then least(most_of_key, spent - 1) else most_of_key end as key_cap
        from asked join locked using (account_id, period) left join capped using (account_id, key_id, period)
      ) as capable
    ), asks as (
      -- What cannot pay for two such calls would only be given back.
      select budgets.*, case
        when escrow is not null and least(escrow, affordable / ${ESCROW_PART}) >= greatest(2 * amount, 1)
          then least(escrow, affordable / ${ESCROW_PART})
      end as set_aside
      from budgets
    ), queued as (
      -- What cannot be granted at all takes nothing from those behind it.
      select asks.*, least(
        available - coalesce(
          sum(coalesce(set_aside, least(amount, affordable))) filter (where minimum <= affordable) over earlier, 0
        ),
        key_cap - spent - coalesce(
          sum(coalesce(set_aside, least(amount, affordable))) filter (where minimum <= affordable) over earlier_of_key,
          0
        )
      ) as remaining
      from asks
      where key_cap is null or spent is not null
      window
        earlier as (
          partition by account_id, period order by position rows between unbounded preceding and 1 preceding
        ),
        earlier_of_key as (
          partition by key_id, period order by position rows between unbounded preceding and 1 preceding
        )
    ), granted as (
      select request_id, account_id, period, key_id, counts_keys, process_id, set_aside <= remaining as is_escrow,
        case when set_aside <= remaining then escrow_id else request_id end as hold_id,
        case when set_aside <= remaining then set_aside else least(amount, remaining) end::bigint as amount,
        amount as asked
      from queued
      where least(amount, remaining) >= minimum
    ), balances as (
      update account_months as month
      set frozen = month.frozen + added.amount
      from (select account_id, period, sum(amount)::bigint as amount from granted group by 1, 2) as added
      where month.account_id = added.account_id and month.period = added.period
        and (month.account_id = ${only} or ${only}::text is null)
    ), key_balances as (
      ${moveKeyMonths(
        sql,
        sql`(select account_id, period, key_id, 0 as used, amount as frozen from granted where counts_keys)`,
      )}
    ), stored as (
      insert into holds (request_id, account_id, period, key_id, amount, process_id, in_use, expires_at)
      select hold_id, account_id, period, key_id, amount, case when is_escrow then process_id end,
        case when is_escrow then asked else 0 end, now() + make_interval(secs => ${leaseSeconds})
      from granted
    )
    select granted.amount::text as granted, coalesce(is_escrow, false) as "isEscrow", case
      when of_month is null or (key_cap is not null and spent is null) then 'unopened'
      when asked.minimum > of_month then 'account'
      when asked.minimum > available then 'limit'
      when asked.minimum > affordable then 'key'
    end as shortage
    from asked
    left join granted using (request_id)
    left join budgets using (request_id)
    order by asked.position`;
  return outcomes.map(({ granted, ...outcome }) => ({
    granted: granted === null ? null : nanos(granted),
    ...outcome,
  }));
}

/**
 * What became of rows whose leases were to be renewed. One that is in neither had somebody else's lock on it, or was to
 * be renewed by a statement that failed: the first of these tells why.
 */
export type Renewal = { renewed: string[]; lost: string[]; failure: { error: unknown } | null };

/** Of as many as one statement may have. */
async function renewTogether(
  db: Db,
  holds: HoldKey[],
  leaseSeconds: number,
): Promise<Omit<Renewal, "failure">> {
  const sql = sqlOf(db);
  const only = onlyAccount(holds);
  const renewed = await sql<{ id: string }[]>`
    with free as (
      select hold.* from ${namedRows(sql, holds)}, lateral (
        select account_id, period, request_id from holds
        where account_id = wanted.account_id and period = wanted.period and request_id = wanted.request_id
          and (account_id = ${only} or ${only}::text is null)
        for update skip locked
      ) as hold
    )
    update holds set expires_at = now() + make_interval(secs => ${leaseSeconds})
    from free
    where holds.account_id = free.account_id and holds.period = free.period and holds.request_id = free.request_id
      and (holds.account_id = ${only} or ${only}::text is null)
    returning holds.request_id as id`;
  const isRenewed = new Set(renewed.map(({ id }) => id));
  const missed = holds.filter(({ requestId }) => !isRenewed.has(requestId));
  if (missed.length === 0) {
    return { renewed: [...isRenewed], lost: [] };
  }
  // One that is there has somebody's lock on it. First: what ends in between is in the ledger then.
  const locked = await sql<{ id: string }[]>`
    select hold.id from ${namedRows(sql, missed)}, lateral (
      select request_id as id from holds
      where account_id = wanted.account_id and period = wanted.period and request_id = wanted.request_id
        and (account_id = ${only} or ${only}::text is null)
      limit 1
    ) as hold`;
  const isThere = new Set(locked.map(({ id }) => id));
  const ends = await findEnds(db, missed);
  const lost = missed.filter(
    ({ requestId }) => !isThere.has(requestId) && (ends.get(requestId)?.isLost ?? true),
  );
  return { renewed: [...isRenewed], lost: lost.map(({ requestId }) => requestId) };
}

/**
 * Renews the leases of holds and escrows; tells which were, and which are lost: to the sweeper, or to a crash of the
 * database. Never waits: a hold that somebody is ending needs no lease, and is there until that has committed; an
 * escrow that is drawn on is renewed by that.
 */
export async function renewHolds(db: Db, holds: HoldKey[], leaseSeconds: number): Promise<Renewal> {
  const renewal: Renewal = { renewed: [], lost: [], failure: null };
  try {
    await inEachStatement(db, holds, async (together) => {
      const { renewed, lost } = await renewTogether(db, together, leaseSeconds);
      renewal.renewed.push(...renewed);
      renewal.lost.push(...lost);
    });
  } catch (failure) {
    renewal.failure = { error: failure };
  }
  return renewal;
}
