import type { AccountId, KeyId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type Balance, toBalance } from "./balances";

/** What was charged for one model on one day. `amount` in nano-units; input of every class. */
export type DaySpend = {
  /** YYYY-MM-DD in the billing zone. */
  day: string;
  /** Empty where a charge named none. */
  modelId: string;
  calls: number;
  amount: Nanos;
  inputTokens: number;
  outputTokens: number;
};

type DayFilter = {
  accountId?: AccountId | undefined;
  keyId?: KeyId | undefined;
  period: string;
  timeZone: string;
};

/**
 * What a month's charges come to by day and model, of one account or of all. They add up to what the month has used: a
 * call that began in the month's last minutes and was charged after them counts for its last day. Hours are whole in
 * UTC, so in a zone of half hours a day begins with the hour that it begins in.
 */
export async function spendByDay(db: Db, filter: DayFilter): Promise<DaySpend[]> {
  const sql = sqlOf(db);
  const { accountId, keyId, period, timeZone } = filter;
  const rows = await sql<
    Record<"day" | "modelId" | "calls" | "amount" | "inputTokens" | "outputTokens", string>[]
  >`
    with hours as (
      -- First, so that a moment is put into its zone once and not for each key.
      select hour, model_id, sum(calls) as calls, sum(amount) as amount, sum(input_tokens) as input_tokens,
        sum(output_tokens) as output_tokens
      from spend_hours
      where period = ${period}
        ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
        ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
      group by hour, model_id
    )
    select to_char(day, 'YYYY-MM-DD') as day, model_id as "modelId", sum(calls)::text as calls,
      sum(amount)::text as amount, sum(input_tokens)::text as "inputTokens",
      sum(output_tokens)::text as "outputTokens"
    from hours, to_date(${`${period}-01`}, 'YYYY-MM-DD') as first_day, lateral (
      select least(
        greatest((hour at time zone ${timeZone})::date, first_day),
        (first_day + interval '1 month - 1 day')::date
      ) as day
    ) as local
    group by day, model_id order by day, model_id`;
  return rows.map((row) => ({
    day: row.day,
    modelId: row.modelId,
    calls: Number(row.calls),
    amount: nanos(row.amount),
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
  }));
}

/** What some keys were charged for in a month, in nano-units. A key that is not in the answer: nothing. */
export async function spendOfKeys(
  db: Db,
  filter: { keyIds: KeyId[]; period: string; accountId?: AccountId | undefined },
): Promise<Map<KeyId, { amount: Nanos; calls: number }>> {
  const sql = sqlOf(db);
  const { keyIds, period, accountId } = filter;
  const rows = await sql<{ keyId: KeyId; amount: string; calls: string }[]>`
    select key_id as "keyId", sum(amount)::text as amount, sum(calls)::text as calls from spend_hours
    where key_id = any(${keyIds}) and period = ${period}
      ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
    group by key_id`;
  return new Map(rows.map((row) => [row.keyId, { amount: nanos(row.amount), calls: Number(row.calls) }]));
}

/** A month of some accounts, by account. One that is not in the answer has not opened it: it has spent nothing. */
export async function spendOfAccounts(
  db: Db,
  { accountIds, period }: { accountIds: AccountId[]; period: string },
): Promise<Map<string, Balance>> {
  const sql = sqlOf(db);
  const rows = await sql<Record<"accountId" | "quota" | "topups" | "used" | "frozen", string>[]>`
    select account_id as "accountId", quota::text, topups::text, used::text, frozen::text
    from account_months where account_id = any(${accountIds}) and period = ${period}`;
  return new Map(rows.map((row) => [row.accountId, toBalance(period, row)]));
}
