/**
 * Carry-over: the rest of a month's top-ups moves to a later month, for accounts for which an operator enabled it
 * (decision 59). A month spends its quota first, so what is left counts as top-ups, up to their sum.
 */
import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { AVAILABLE } from "./available";

const { accountMonths, accounts, ledgerClosings, ledgerEntries } = tables;

type CarriedMonth = { accountId: AccountId; period: string };

/**
 * The amount that can leave a month, in nano-units: nothing that its calls, or processes for them, still have frozen.
 */
const rest = sql`least(${accountMonths.topups}, ${sql.raw(AVAILABLE)})`;

/**
 * Months before `period` with a rest, from the month in which the account's carry-over began. Months whose entries are
 * archived do not change.
 */
const hasRest = (since: string | typeof accounts.carriesTopupsSince, period: string) =>
  and(
    gte(accountMonths.period, since),
    lt(accountMonths.period, period),
    sql`${rest} > 0`,
    sql`not exists (
      select 1 from ${ledgerClosings}
      where ${ledgerClosings.period} = ${accountMonths.period} and ${ledgerClosings.archivedAt} is not null
    )`,
  );

/** The first month whose rest is carried over; null: the account has no carry-over. */
export async function carriesSince(db: Db, accountId: AccountId): Promise<string | null> {
  const [account] = await ormOf(db)
    .select({ since: accounts.carriesTopupsSince })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  return account?.since ?? null;
}

type Rest = { period: string; amount: Nanos };

/** Returns the rests of earlier months and locks those months until the transaction ends. */
export async function lockRests(tx: Tx, { accountId, period }: CarriedMonth, since: string): Promise<Rest[]> {
  return await ormOf(tx)
    .select({ period: accountMonths.period, amount: rest.mapWith(nanos) })
    .from(accountMonths)
    .where(and(eq(accountMonths.accountId, accountId), hasRest(since, period)))
    .orderBy(asc(accountMonths.period))
    .for("update");
}

/**
 * Moves the rests from `lockRests` into the month, which must be open. Each rest is a pair of entries with one
 * identifier.
 */
export async function moveRests(tx: Tx, { accountId, period }: CarriedMonth, rests: Rest[]): Promise<void> {
  const orm = ormOf(tx);
  for (const { period: from, amount } of rests) {
    const pair = { id: newId("ent"), accountId, kind: "carryover" as const };
    for (const [month, change, other] of [
      [from, nanos(-amount), period],
      [period, amount, from],
    ] as const) {
      await orm
        .update(accountMonths)
        .set({ topups: sql`${accountMonths.topups} + ${change}` })
        .where(and(eq(accountMonths.accountId, accountId), eq(accountMonths.period, month)));
      await orm.insert(ledgerEntries).values({ ...pair, period: month, amount: change, note: other });
    }
  }
}

const MOST_AT_ONCE = 200;

/** Accounts that have a rest to carry in a month before `period`. */
export async function findRests(db: Db, period: string): Promise<AccountId[]> {
  const rows = await ormOf(db)
    .selectDistinct({ id: accounts.id })
    .from(accounts)
    .innerJoin(accountMonths, eq(accountMonths.accountId, accounts.id))
    .where(hasRest(accounts.carriesTopupsSince, period))
    .limit(MOST_AT_ONCE);
  return rows.map(({ id }) => id);
}
