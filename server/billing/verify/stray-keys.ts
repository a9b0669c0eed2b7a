import { inArray, sql } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type Drift, MAX_DRIFTS, type RawDrift, toDrift } from "./figures";

const { accountMonths, apiKeys, holds, keyMonths, spendHours } = tables;

/**
 * Keys' months of which no account that counts its keys has spent or frozen anything: `findDrift` meets them with no
 * account. Whose they are is told by the key, or by what it has spent.
 */
export async function findStrayKeys(db: Db, period: string, accountIds?: AccountId[]): Promise<Drift[]> {
  const owner = sql`coalesce(
    ${apiKeys.accountId},
    (select min(account_id) from ${spendHours} as spent where spent.key_id = ${keyMonths.keyId} and spent.period = ${period}),
    ''
  )`;
  const rows = await ormOf(db).execute<RawDrift>(sql`
    select ${owner} as "accountId", figure, ${keyMonths.keyId} as "keyId",
      recorded::text, '0' as recomputed
    from ${keyMonths} left join ${apiKeys} on ${apiKeys.id} = ${keyMonths.keyId}, lateral (values
      ('key_used', ${keyMonths.used}), ('key_frozen', ${keyMonths.frozen})
    ) as figures (figure, recorded)
    where ${keyMonths.period} = ${period} and recorded <> 0
      and ${accountIds ? inArray(owner, accountIds) : sql`true`}
      and not exists (
        select 1 from ${spendHours} as hour join ${accountMonths} as month using (account_id, period)
        where hour.key_id = ${keyMonths.keyId} and hour.period = ${period} and counts_keys
      )
      and not exists (
        select 1 from ${holds} as hold join ${accountMonths} as month using (account_id, period)
        where hold.key_id = ${keyMonths.keyId} and hold.period = ${period} and counts_keys
      )
    order by 1, 3, 2 limit ${MAX_DRIFTS}`);
  return rows.map((row) => toDrift(row, period));
}
