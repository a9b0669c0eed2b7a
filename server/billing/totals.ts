import type { AccountId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

/** The accounts that were charged most in a month, the most first; `used` in nano-units. */
export async function findTopSpenders(
  db: Db,
  { period, limit }: { period: string; limit: number },
): Promise<{ accountId: AccountId; used: Nanos }[]> {
  const sql = sqlOf(db);
  const rows = await sql<{ accountId: AccountId; used: string }[]>`
    select account_id as "accountId", used::text from account_months
    where period = ${period} and used > 0 order by account_months.used desc, account_id limit ${limit}`;
  return rows.map(({ accountId, used }) => ({ accountId, used: nanos(used) }));
}
