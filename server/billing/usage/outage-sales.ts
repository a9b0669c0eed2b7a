import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";

const { accountMonths, accounts, outageParts } = tables;

/** The amount that an outage allowance paid in an account's month, in nano-units. */
export type OutageSale = { accountId: AccountId; name: string; period: string; amount: Nanos };

/** The highest first. Left out: of all accounts, and of all months. */
export async function findOutageSales(
  db: Db,
  {
    accountIds,
    periods,
    limit,
  }: { accountIds?: AccountId[] | undefined; periods?: string[] | undefined; limit: number },
): Promise<OutageSale[]> {
  return await ormOf(db)
    .select({
      accountId: accountMonths.accountId,
      name: accounts.name,
      period: accountMonths.period,
      amount: accountMonths.outage,
    })
    .from(accountMonths)
    .innerJoin(accounts, eq(accounts.id, accountMonths.accountId))
    .where(
      and(
        // Written as in the condition of the partial index.
        sql`outage > 0`,
        accountIds && inArray(accountMonths.accountId, accountIds),
        periods && inArray(accountMonths.period, periods),
      ),
    )
    .orderBy(desc(accountMonths.period), desc(accountMonths.outage))
    .limit(limit);
}

/** The parts that processes have now, their sum (`granted`), and the number of accounts with an allowance of their own. */
export async function measureOutage(db: Db): Promise<{ parts: number; granted: Nanos; allowed: number }> {
  const [row] = await ormOf(db)
    .select({
      parts: sql`count(*) filter (where amount > 0)`.mapWith(Number),
      given: sql<string>`coalesce(sum(amount), 0)::text`,
      allowed: sql`(select count(*) from ${accounts} where outage_allowance > 0)`.mapWith(Number),
    })
    .from(outageParts);
  return { parts: row?.parts ?? 0, granted: nanos(row?.given ?? "0"), allowed: row?.allowed ?? 0 };
}
