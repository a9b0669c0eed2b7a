import { eq, gt, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Db, listPartitions, tables } from "@/server/db";
import { isDistributed, ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";

const { accountMonths, holds, keyMonths, ledgerCheckpoints, ledgerEntries, spendHours } = tables;

/**
 * Charges per statement: some 3,000,000 take about seven seconds. Entries of different accounts share pages, so each
 * step reads nearly all of a month's. For ten million, steps of 250,000 took 99 s together, of 1,000,000 36 s, of this
 * size 23 s, and a single step 21 s. One account's month is never divided.
 */
const SLICE_CALLS = 3_000_000;
const SLICE_ACCOUNTS = 10_000;

/** The ledger's months with a partition; for some accounts, those in which they have an entry. */
async function listPartitionedMonths(db: Db, accountIds?: AccountId[]): Promise<string[]> {
  const months = await listPartitions(db, "ledger_entries");
  if (accountIds === undefined) {
    return months;
  }
  const rows = await ormOf(db).execute<{ period: string }>(sql`
    select month as period from unnest(${sql.param(months)}::text[]) as month
    where exists (
      select 1 from ${ledgerEntries}
      where ${ledgerEntries.period} = month and ${inArray(ledgerEntries.accountId, accountIds)}
    )`);
  return rows.map(({ period }) => period);
}

const owned = [accountMonths, holds, keyMonths, ledgerCheckpoints, ledgerEntries, spendHours];
const union = (parts: SQL[]) => sql.join(parts, sql` union `);

/** The same by reading all tables in parallel: a recursive walk from row to row does not work across machines. */
async function listMonthsOfMachines(db: Db, accountIds?: AccountId[]): Promise<string[]> {
  const rows = await ormOf(db).execute<{ period: string }>(
    union(
      owned.map(
        (table) =>
          sql`select distinct period from ${table} where ${accountIds ? inArray(table.accountId, accountIds) : sql`true`}`,
      ),
    ),
  );
  return rows
    .map(({ period }) => period)
    .sort()
    .reverse();
}

/** Every month in any table, of some accounts or of all, newest first. */
export async function listMonths(db: Db, accountIds?: AccountId[]): Promise<string[]> {
  if (isDistributed(db)) {
    return await listMonthsOfMachines(db, accountIds);
  }
  const ofAccounts = (account: SQLWrapper) => (accountIds ? inArray(account, accountIds) : sql`true`);
  const ofTheirAccounts = ofAccounts(sql`account_id`);
  const rows = await ormOf(db).execute<{ period: string }>(sql`
    with recursive hours (period) as (
      select min(period) from ${spendHours} where ${ofTheirAccounts}
      union all
      select (
        select min(hour.period) from ${spendHours} as hour
        where hour.period > hours.period and ${ofAccounts(sql`hour.account_id`)}
      )
      from hours where hours.period is not null
    )
    select distinct period from ledger_entries_rest where ${ofTheirAccounts}
    union select period from ${accountMonths} where ${ofTheirAccounts}
    union select period from ${holds} where ${ofTheirAccounts}
    union select period from ${keyMonths} where ${ofTheirAccounts}
    union select period from hours where period is not null
    union select period from ${ledgerCheckpoints} where ${ofTheirAccounts}`);
  const months = new Set(rows.map(({ period }) => period));
  for (const month of await listPartitionedMonths(db, accountIds)) {
    months.add(month);
  }
  return [...months].sort().reverse();
}

/** The same for accounts on several machines: each account is verified separately there, whatever its size. */
async function nextAccountsOfMachines(
  db: Db,
  { period, after }: { period: string; after: string },
): Promise<{ accountIds: AccountId[]; isEnd: boolean }> {
  const parts = owned.map(
    (table) => sql`(
      select distinct account_id from ${table}
      where ${gt(table.accountId, sql`${after}`)} and ${eq(table.period, period)} order by 1 limit ${SLICE_ACCOUNTS}
    )`,
  );
  const rows = await ormOf(db).execute<{ accountId: AccountId }>(sql`
    select account_id as "accountId" from (${union(parts)}) as candidates order by 1 limit ${SLICE_ACCOUNTS}`);
  return { accountIds: rows.map(({ accountId }) => accountId), isEnd: rows.length < SLICE_ACCOUNTS };
}

/**
 * The next accounts after `after`, as many as one statement should read of this month, and whether they were the last.
 * The number of calls comes from the hourly sums and only determines the size.
 */
export async function nextAccounts(
  db: Db,
  { period, after }: { period: string; after: string },
): Promise<{ accountIds: AccountId[]; isEnd: boolean }> {
  if (isDistributed(db)) {
    return await nextAccountsOfMachines(db, { period, after });
  }
  const first = (
    table:
      | typeof accountMonths
      | typeof holds
      | typeof keyMonths
      | typeof ledgerCheckpoints
      | typeof ledgerEntries
      | typeof spendHours,
  ) => sql`(
    select account_id from ${table}
    where ${gt(table.accountId, sql`known.account_id`)} and ${eq(table.period, period)}
    order by account_id limit 1
  )`;
  const rows = await ormOf(db).execute<{ accountId: AccountId | null }>(sql`
    with recursive known (account_id, calls, position) as (
      select ${after}::text, 0::numeric, 0
      union all
      select next.account_id, known.calls + coalesce(spent.calls, 0), position + 1
      from known cross join lateral (
        select min(account_id) as account_id from (
          ${first(accountMonths)} union all ${first(ledgerEntries)} union all ${first(ledgerCheckpoints)}
          union all ${first(holds)} union all ${first(keyMonths)} union all ${first(spendHours)}
        ) as candidates
      ) as next cross join lateral (
        select sum(hour.calls) as calls from ${spendHours} as hour
        where hour.account_id = next.account_id and hour.period = ${period}
      ) as spent
      where known.account_id is not null and known.calls < ${SLICE_CALLS} and position < ${SLICE_ACCOUNTS}
    )
    select account_id as "accountId" from known where position > 0 order by position`);
  // The row after the last account is empty.
  const accountIds = rows.flatMap(({ accountId }) => accountId ?? []);
  return { accountIds, isEnd: accountIds.length < rows.length };
}
