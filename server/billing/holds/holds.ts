import { GatewayError } from "@/server/base/errors";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, inEachStatement } from "@/server/db";
import { batchRows } from "@/server/db/batch-rows";
import { sqlOf } from "@/server/db/handles";
import type { Buyer } from "../months/caps";
import type { Bound, Payer } from "../months/months";
import { grantAll } from "./grant-all";
import { findEnds } from "./recorded-ends";
import {
  type HoldKey,
  isShortPossible,
  lockMonths,
  moveKeyMonths,
  namedRows,
  onlyAccount,
} from "./statements";

export type HoldRequest = Payer & {
  requestId: string;
  amount: Nanos;
  /** The caller cannot use less than this; equal to `amount` for all or nothing. */
  minimum: Nanos;
  /** If much more than the amount is available, an escrow that pays for the call. */
  escrow?: EscrowWish | undefined;
  /** The buyer of the call, for recomputing its payer later. */
  buyer?: Buyer | undefined;
};

/** Money for the calls that a process will serve. `id` identifies its row, as a request id identifies a hold's. */
export type EscrowWish = { id: string; processId: string; amount: Nanos };

/**
 * Why a freeze was refused: a month is not open, or the money is too little: of the account, under the account's limit,
 * or under the key's cap.
 */
export type Shortfall = "unopened" | "account" | "limit" | "key";

/**
 * `granted` null: not enough. `isEscrow`: the row is not the call's hold but the escrow that it asked for. `shortfall`:
 * why the request would be refused even if it came first; null if only earlier requests of the batch left too little.
 * `failure`: the error of its statement, after other requests of the batch were granted.
 */
export type HoldOutcome = {
  granted: Nanos | null;
  isEscrow: boolean;
  shortfall: Shortfall | null;
  failure?: { error: unknown };
};

/** More than any account has: a batch must not fail because one request's ceiling fits no column. */
export const MAX_AMOUNT = nanos(10n ** 17n);

/** An escrow takes at most the rest divided by this: near the end of a budget, every call gets its exact hold. */
const ESCROW_PART = 16;

const boundHeaders = (bound: Bound | undefined): Record<string, string> =>
  bound ? { "x-quota-window": bound.window, "x-quota-resets-at": bound.until.toISOString() } : {};

/** The 402 error. It tells clients whose quota is exhausted, because a top-up does not lift a cap. */
export function quotaExhausted(
  shortfall: Shortfall | null,
  { keyBound, accountBound }: Pick<Payer, "keyBound" | "accountBound"> = {},
): GatewayError {
  const headers = {
    key: { "x-quota-scope": "key", ...boundHeaders(keyBound) },
    limit: { "x-quota-scope": "account", ...boundHeaders(accountBound) },
  };
  const isCap = shortfall === "key" || shortfall === "limit";
  return new GatewayError("quotaExhausted", "", isCap ? { headers: headers[shortfall] } : {});
}

const askedRows = batchRows("asked", {
  ...{ position: "bigint", request_id: "text", account_id: "text", period: "text", key_id: "text" },
  ...{
    key_cap: "bigint",
    most_of_account: "bigint",
    week_continues: "boolean",
    amount: "bigint",
    minimum: "bigint",
  },
  ...{ escrow_id: "text", process_id: "text", escrow: "bigint" },
});

const toRow = (request: HoldRequest, position: number) => ({
  position,
  request_id: request.requestId,
  account_id: request.accountId,
  period: request.period,
  key_id: request.keyId,
  key_cap: request.keyCap?.toString() ?? null,
  most_of_account: request.accountCap?.toString() ?? null,
  week_continues: request.weekContinues ?? false,
  amount: request.amount.toString(),
  minimum: request.minimum.toString(),
  escrow_id: request.escrow?.id ?? null,
  process_id: request.escrow?.processId ?? null,
  escrow: request.escrow?.amount.toString() ?? null,
});

/**
 * Freezes money for a batch of calls in one statement and one commit. Requests of one account are served in order, each
 * from what the ones before it left, to the account and to its key. The month rows are locked in id order, as in every
 * writer, so writers cannot deadlock. A key's row is read and written only with its account's row locked. A request id
 * is never sent twice.
 *
 * - `asked`: the batch, in its order.
 * - `locked`: the months that pay, and what each has left; other writers of them wait from here on.
 * - `capped`: what the keys with a cap have spent; their rows are locked after their months'. Caps of days and weeks
 *   are expressed as a cap on the month (`caps.ts`).
 * - `budgets`: each request with the most that it could get if it came first (`affordable`).
 * - `asks`: each request with what it takes then: an escrow, if that is worthwhile, or its hold.
 * - `queued`: each request with what the ones before it leave (`remaining`), without requests whose key's month is not
 *   open.
 * - `granted`: the requests that get at least their minimum, and how much.
 * - `balances`, `key_balances`: adds the grants to the frozen amounts of the months, and of the keys' months that are
 *   counted.
 * - `stored`: the holds.
 */
async function insertInOrder(db: Db, requests: HoldRequest[], leaseSeconds: number): Promise<HoldOutcome[]> {
  const sql = sqlOf(db);
  const only = onlyAccount(requests);
  const rows = requests.map(toRow);
  const outcomes = await sql<{ granted: string | null; isEscrow: boolean; shortfall: Shortfall | null }[]>`
    with asked as (
      select * from ${askedRows(sql, rows)}
    ), locked as (${lockMonths(sql, only)}), capped as (
      select wanted.*, spent
      from (
        select distinct account_id, key_id, period from asked
        -- Reads all of "locked" first: every writer locks month rows before their keys' rows.
        where key_cap is not null and (select count(*) from locked) > 0
          and (account_id, period) in (select account_id, period from locked where counts_keys)
      ) as wanted, lateral (
        select used + frozen as spent from key_months
        where account_id = wanted.account_id and period = wanted.period and key_id = wanted.key_id
          and (account_id = ${only} or ${only}::text is null)
        for update
      ) as key_month
    ), budgets as (
      -- "least" ignores nulls: no cap.
      select capable.*, least(available, effective_cap - spent) as affordable
      from (
        select asked.*, counts_keys, spent, available as month_available,
          least(available, most_of_account - taken) as available,
          -- The rest of a continuing week's cap is for the next month.
          case when week_continues and week_has_gone_on then least(key_cap, spent - 1) else key_cap end as effective_cap
        from asked join locked using (account_id, period) left join capped using (account_id, key_id, period)
      ) as capable
    ), asks as (
      -- An escrow that cannot pay for two such calls would only be given back.
      select budgets.*, case
        when escrow is not null and least(escrow, affordable / ${ESCROW_PART}) >= greatest(2 * amount, 1)
          then least(escrow, affordable / ${ESCROW_PART})
      end as set_aside
      from budgets
    ), queued as (
      -- A call that cannot be granted takes nothing from the calls behind it.
      select asks.*, least(
        available - coalesce(
          sum(coalesce(set_aside, least(amount, affordable))) filter (where minimum <= affordable) over earlier, 0
        ),
        effective_cap - spent - coalesce(
          sum(coalesce(set_aside, least(amount, affordable))) filter (where minimum <= affordable) over earlier_of_key,
          0
        )
      ) as remaining
      from asks
      where effective_cap is null or spent is not null
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
      when month_available is null or (effective_cap is not null and spent is null) then 'unopened'
      when asked.minimum > month_available then 'account'
      when asked.minimum > available then 'limit'
      when asked.minimum > affordable then 'key'
    end as shortfall
    from asked
    left join granted using (request_id)
    left join budgets using (request_id)
    order by asked.position`;
  return outcomes.map(({ granted, ...outcome }) => ({
    granted: granted === null ? null : nanos(granted),
    ...outcome,
  }));
}

const NOTHING: HoldOutcome = { granted: null, isEscrow: false, shortfall: null };

/**
 * Freezes money for a batch of calls. Most months have enough for all calls that wait: then it is one short statement.
 * The calls of other months are served in order. Returns the outcomes in the order of the requests. Throws only if
 * nothing is frozen: the error of the second statement must not hide the grants of the first.
 */
export async function insertHolds(
  db: Db,
  requests: HoldRequest[],
  leaseSeconds: number,
): Promise<HoldOutcome[]> {
  const granted = isShortPossible(db) ? await grantAll(db, requests, leaseSeconds) : new Map<string, Nanos>();
  const rest = requests.filter(({ requestId }) => !granted.has(requestId));
  let outcomes: HoldOutcome[] = [];
  try {
    outcomes = rest.length === 0 ? [] : await insertInOrder(db, rest, leaseSeconds);
  } catch (error) {
    if (granted.size === 0) {
      throw error;
    }
    outcomes = rest.map(() => ({ ...NOTHING, failure: { error } }));
  }
  const ofRest = new Map(rest.map(({ requestId }, index) => [requestId, outcomes[index]]));
  return requests.map(({ requestId }) => {
    const amount = granted.get(requestId);
    return ofRest.get(requestId) ?? { ...NOTHING, granted: amount ?? null };
  });
}

/**
 * The result of a renewal. A row that is in neither list was locked by another transaction, or its statement failed;
 * `failure` is the first error.
 */
export type Renewal = { renewed: string[]; lost: string[]; failure: { error: unknown } | null };

/** Renews the rows that one statement may contain. */
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
  // A row that still exists is locked by another transaction. Look for rows first: a hold that ends in between is then
  // in the ledger.
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
 * Renews the leases of holds and escrows. Reports which were renewed and which were lost: to the sweeper, or in a crash
 * of the database. Never waits for a lock: a hold that is being ended needs no lease, and exists until that commits; a
 * draw renews its escrow itself.
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
