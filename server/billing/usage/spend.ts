import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { type Balance, figures, toBalance, usedOfMonth } from "../entries/balances";
import { startsArray } from "./day-parts";
import { summedRows } from "./summed-rows";
import { monthSpan, pointsOfSpan, startsOfPoints } from "./usage-span";

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
  { accountId, keyId, period, timeZone }: SpendScope & { timeZone: string },
): Promise<DaySpend[]> {
  const span = monthSpan(period, timeZone);
  const chart = pointsOfSpan(span, timeZone);
  const starts = startsArray(startsOfPoints(chart, timeZone));
  const accountIds = accountId === undefined ? undefined : [accountId];
  const summed = await summedRows(db, "spend", {
    ...{ accountIds, keyId, span, timeZone },
    isOfAll: accountId === undefined && keyId === undefined,
  });
  const place = sql`greatest(width_bucket(hour, ${starts}), 1) - 1`;
  const rows = await ormOf(db)
    .select({
      place: place.mapWith(Number).as("place"),
      modelId: sql`model_id`.mapWith(String).as("model"),
      calls: sql`sum(calls)`.mapWith(Number),
      amount: sql`sum(amount)`.mapWith(nanos),
      inputTokens: sql`sum(input_tokens)`.mapWith(Number),
      outputTokens: sql`sum(output_tokens)`.mapWith(Number),
    })
    .from(sql`${summed} as sums`)
    .groupBy(sql`1`, sql`2`)
    .orderBy(sql`1`, sql`2`);
  return rows.map(({ place: at, ...row }) => ({ day: chart.points[at] ?? "", ...row }));
}

/** The hour of an account's first charge, also of a free one; null: there is none yet. */
export async function findFirstCharge(db: Db, accountId: AccountId): Promise<Date | null> {
  const [first] = await ormOf(db)
    .select({ hour: spendHours.hour })
    .from(spendHours)
    .where(eq(spendHours.accountId, accountId))
    .orderBy(asc(spendHours.period), asc(spendHours.hour))
    .limit(1);
  return first?.hour ?? null;
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
