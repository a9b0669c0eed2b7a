import { eq, sql } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { deliveries, webhooks } = tables;

/** An account's webhooks, with what they were told, and what operators were told of the account: it names its keys. */
export async function eraseNews(tx: Tx, accountId: AccountId): Promise<void> {
  const orm = ormOf(tx);
  await orm.delete(webhooks).where(eq(webhooks.accountId, accountId));
  // As `bodyOf` writes it; no value that somebody else chose has these quotes unescaped.
  await orm
    .delete(deliveries)
    .where(sql`strpos(${deliveries.body}, ${`"account_id":${JSON.stringify(accountId)}`}) > 0`);
}
