import { and, eq, gte, inArray, or, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import type { CapWindowSpan } from "./windows";

const { spendHours } = tables;

/** The hours of a window: those of its month, and those in the month before if it began there. */
const isWithin = ({ period, from, before }: CapWindowSpan) =>
  or(
    and(eq(spendHours.period, period), from === null ? undefined : gte(spendHours.hour, from)),
    before === null
      ? undefined
      : and(eq(spendHours.period, before.period), gte(spendHours.hour, before.from)),
  );

/** The charges of some keys in a window, in nano-units. A key without charges is not in the result. */
export async function keysSpentWithin(
  db: Db,
  {
    keyIds,
    window,
    accountId,
  }: { keyIds: KeyId[]; window: CapWindowSpan; accountId?: AccountId | undefined },
): Promise<Map<KeyId, Nanos>> {
  const rows = await ormOf(db)
    .select({ id: spendHours.keyId, amount: sql`sum(${spendHours.amount})`.mapWith(nanos) })
    .from(spendHours)
    .where(
      and(
        inArray(spendHours.keyId, keyIds),
        accountId === undefined ? undefined : eq(spendHours.accountId, accountId),
        isWithin(window),
      ),
    )
    .groupBy(spendHours.keyId);
  return new Map(rows.map(({ id, amount }) => [id, amount]));
}

/** The same for accounts. */
export async function accountsSpentWithin(
  db: Db,
  { accountIds, window }: { accountIds: AccountId[]; window: CapWindowSpan },
): Promise<Map<AccountId, Nanos>> {
  const rows = await ormOf(db)
    .select({ id: spendHours.accountId, amount: sql`sum(${spendHours.amount})`.mapWith(nanos) })
    .from(spendHours)
    .where(and(inArray(spendHours.accountId, accountIds), isWithin(window)))
    .groupBy(spendHours.accountId);
  return new Map(rows.map(({ id, amount }) => [id, amount]));
}
