import type { Sql } from "postgres";

/** The accounts that were charged most in a month, the most first; `used` in nano-units. */
export async function findTopSpenders(
  sql: Sql,
  { period, limit }: { period: string; limit: number },
): Promise<{ accountId: string; used: bigint }[]> {
  const rows = await sql<{ accountId: string; used: string }[]>`
    select account_id as "accountId", used::text from account_months
    where period = ${period} and used > 0 order by account_months.used desc, account_id limit ${limit}`;
  return rows.map(({ accountId, used }) => ({ accountId, used: BigInt(used) }));
}
