import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { type Balance, figures, toBalance, usedOfMonth } from "../entries/balances";

const { accountMonths, spendHours } = tables;

/** The charges for one model on one day. `amount` in nano-units; input tokens of every class. */
export type DaySpend = {
  /** YYYY-MM-DD in the billing zone. */
  day: string;
  /** Empty if the charge has no model. */
  modelId: string;
  calls: number;
  amount: Nanos;
  inputTokens: number;
  outputTokens: number;
};

type SpendScope = { accountId?: AccountId | undefined; keyId?: KeyId | undefined; period: string };

const isSpent = ({ accountId, keyId, period }: SpendScope) =>
  and(
    eq(spendHours.period, period),
    accountId === undefined ? undefined : eq(spendHours.accountId, accountId),
    keyId === undefined ? undefined : eq(spendHours.keyId, keyId),
  );

/**
 * The charges of a month by day and model, of one account or of all. They add up to the month's used amount: a call
 * that began in the month's last minutes and was charged after them counts on its last day. Hours are whole in UTC, so
 * in a zone with a half-hour offset a day begins with the UTC hour that contains its start.
 */
export async function spendByDay(
  db: Db,
  { timeZone, ...spent }: SpendScope & { timeZone: string },
): Promise<DaySpend[]> {
  const orm = ormOf(db);
  // Group by hour first, so that each hour is converted to its zone once and not per key.
  const hours = orm.$with("hours").as(
    orm
      .select({
        hour: spendHours.hour,
        modelId: spendHours.modelId,
        calls: sql`sum(${spendHours.calls})`.as("calls"),
        amount: sql`sum(${spendHours.amount})`.as("amount"),
        inputTokens: sql`sum(${spendHours.inputTokens})`.as("input_tokens"),
        outputTokens: sql`sum(${spendHours.outputTokens})`.as("output_tokens"),
      })
      .from(spendHours)
      .where(isSpent(spent))
      .groupBy(spendHours.hour, spendHours.modelId),
  );
  const firstDay = sql`to_date(${`${spent.period}-01`}, 'YYYY-MM-DD')`;
  const lastDay = sql`(${firstDay} + interval '1 month - 1 day')::date`;
  const day = sql`
    to_char(least(greatest((${hours.hour} at time zone ${timeZone})::date, ${firstDay}), ${lastDay}), 'YYYY-MM-DD')`
    .mapWith(String)
    .as("day");
  return await orm
    .with(hours)
    .select({
      day,
      modelId: hours.modelId,
      calls: sql`sum(${hours.calls})`.mapWith(Number),
      amount: sql`sum(${hours.amount})`.mapWith(nanos),
      inputTokens: sql`sum(${hours.inputTokens})`.mapWith(Number),
      outputTokens: sql`sum(${hours.outputTokens})`.mapWith(Number),
    })
    .from(hours)
    .groupBy(day, hours.modelId)
    .orderBy(day, hours.modelId);
}

/** The charges of some keys in a month, in nano-units. A key without charges is not in the result. */
export async function spendOfKeys(
  db: Db,
  { keyIds, ...spent }: { keyIds: KeyId[]; period: string; accountId?: AccountId | undefined },
): Promise<Map<KeyId, { amount: Nanos; calls: number }>> {
  const rows = await ormOf(db)
    .select({
      keyId: spendHours.keyId,
      amount: sql`sum(${spendHours.amount})`.mapWith(nanos),
      calls: sql`sum(${spendHours.calls})`.mapWith(Number),
    })
    .from(spendHours)
    .where(and(inArray(spendHours.keyId, keyIds), isSpent(spent)))
    .groupBy(spendHours.keyId);
  return new Map(rows.map(({ keyId, ...spend }) => [keyId, spend]));
}

/** The month's balance of some accounts. An account without that month is not in the result: it has spent nothing. */
export async function spendOfAccounts(
  db: Db,
  { accountIds, period }: { accountIds: AccountId[]; period: string },
): Promise<Map<AccountId, Balance>> {
  const rows = await ormOf(db)
    .select({ accountId: accountMonths.accountId, ...figures })
    .from(accountMonths)
    .where(and(inArray(accountMonths.accountId, accountIds), eq(accountMonths.period, period)));
  return new Map(rows.map(({ accountId, ...month }) => [accountId, toBalance(month)]));
}

/** Months of which at least `percent` is used: of some accounts, or of all (null). */
export async function usageFrom(
  db: Db,
  { period, percent, accountIds }: { period: string; percent: number; accountIds: AccountId[] | null },
): Promise<(Balance & { accountId: AccountId })[]> {
  const rows = await ormOf(db)
    .select({ accountId: accountMonths.accountId, ...figures })
    .from(accountMonths)
    .where(
      and(
        eq(accountMonths.period, period),
        accountIds === null ? undefined : inArray(accountMonths.accountId, accountIds),
        gt(usedOfMonth, nanos(0n)),
        sql`(${usedOfMonth}) * 100 >= (${accountMonths.quota} + ${accountMonths.topups}) * ${percent}`,
      ),
    );
  return rows.map(({ accountId, ...month }) => ({ accountId, ...toBalance(month) }));
}

/** The accounts with the highest charges of a month, highest first; `used` in nano-units. */
export async function findTopSpenders(
  db: Db,
  { period, limit }: { period: string; limit: number },
): Promise<{ accountId: AccountId; used: Nanos }[]> {
  return await ormOf(db)
    .select({ accountId: accountMonths.accountId, used: figures.used })
    .from(accountMonths)
    .where(and(eq(accountMonths.period, period), gt(usedOfMonth, nanos(0n))))
    .orderBy(desc(figures.used), asc(accountMonths.accountId))
    .limit(limit);
}
